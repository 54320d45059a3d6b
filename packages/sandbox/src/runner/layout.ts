// Where things are: the sandbox's data folder and its files, ports, tokens, and what ships with the package.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { isObject, JsonObject, JsonValue } from '../konnect/json';

/** The folder of this package, wherever its code was built to. */
const PACKAGE = dirname(
  require.resolve('@plumbline/drift-sandbox/package.json'),
);

const PORTAL_DATA = process.env.PORTAL_DATA || resolve(PACKAGE, '../../.data');

/** Used where nothing else is said: the sandbox of the portal, wherever the environment put that. */
export const DEFAULT_DATA_DIR = resolve(
  process.env.SANDBOX_DATA_DIR || join(PORTAL_DATA, 'sandbox'),
);
export const DEFAULT_PORTS = { konnect: 7651, kubernetes: 7652 };

/** One location entity that brings in the whole demonstration catalog. */
export const CATALOG_FILE = join(PACKAGE, 'catalog/all.yaml');

/**
 * Known to everybody, since they guard nothing: the servers listen on the loopback address only and hold a
 * demonstration. `portal` may do everything and is what a portal uses; `console` is a person's; `readonly` may not write.
 */
export const TOKENS = {
  konnect: {
    portal: 'kpat_sandbox-portal',
    console: 'kpat_sandbox-console',
    readonly: 'spat_sandbox-readonly',
  },
  kubernetes: {
    portal: 'sandbox-portal',
    console: 'sandbox-console',
    readonly: 'sandbox-readonly',
  },
};

/** The files of a data folder. */
export function filesOf(dataDir: string) {
  return {
    /** Where the running servers are; for the command line. */
    endpoints: join(dataDir, 'endpoints.json'),
    konnectState: join(dataDir, 'konnect.json'),
    kubernetesState: join(dataDir, 'kubernetes.json'),
    kubeconfig: join(dataDir, 'kubeconfig.yaml'),
    manifests: join(dataDir, 'manifests'),
  };
}

/** Creates the folder and, the first time, its own copy of the manifests: the one that may be edited. */
export function prepareDataDir(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true });
  const { manifests } = filesOf(dataDir);
  if (!existsSync(manifests)) {
    cpSync(join(PACKAGE, 'manifests'), manifests, { recursive: true });
  }
}

/** All objects in the YAML files of a folder. @throws Error that names the file */
export function readManifests(folder: string): JsonObject[] {
  return readdirSync(folder)
    .filter(name => /\.ya?ml$/.test(name))
    .sort()
    .flatMap(name => {
      const file = join(folder, name);
      return parseAllDocuments(readFileSync(file, 'utf8')).map(document => {
        if (document.errors.length > 0) {
          throw new Error(`${file}: ${document.errors[0].message}`);
        }
        const object = document.toJS() as JsonValue;
        if (!isObject(object)) {
          throw new Error(
            `${file}: every document must be a Kubernetes object`,
          );
        }
        return object;
      });
    });
}
