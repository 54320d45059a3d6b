// The environments of the children: what the script runner left behind is taken out, the project's tools come first.
import path from 'node:path';
import { paths } from '../project.mjs';

// A script that npm or Yarn runs inherits their view of the world as npm_* variables (prefix, workspace, flags of the
// outer command). Only what says how to reach the registry is meant for a nested npm.
const KEPT_SETTINGS =
  /^npm_config_(registry|ca|cafile|cert|key|proxy|https?_proxy|noproxy|strict_ssl|userconfig|globalconfig|cache|fetch_.+|maxsockets|before|min_release_age|prefer_offline|offline|\/\/.+|.+:registry)$/i;

const YARN_LEFTOVERS = new Set(['BERRY_BIN_FOLDER', 'PROJECT_CWD', 'INIT_CWD']);

/** The caller's environment without the variables by which npm and Yarn talk to their own scripts. */
export function cleanEnvironment(env = process.env) {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) =>
        !YARN_LEFTOVERS.has(name) &&
        (!/^npm_/i.test(name) || KEPT_SETTINGS.test(name)),
    ),
  );
}

/** What a task runs with: the project's Node and Yarn before anything else on the PATH. */
export function taskEnvironment(tools, env = process.env) {
  const clean = cleanEnvironment(env);
  return {
    ...clean,
    PATH: [tools.bin, paths.bin, clean.PATH]
      .filter(Boolean)
      .join(path.delimiter),
  };
}
