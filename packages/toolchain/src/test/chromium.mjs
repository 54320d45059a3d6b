// Lays the Chromium of the @sparticuz/chromium package out under .tools/ and prints, as JSON, how to start it:
// `executablePath`, and `env` that lets it find the libraries and fonts beside it. CHROMIUM_PATH names another one.
// A program of its own, because the package unpacks into the temporary folder of its process.
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { paths } from '../project.mjs';

// The package lays these libraries out only where it believes itself on Amazon Linux; a bare machine lacks them too.
const LIBRARIES = 'al2023.tar.br';

const packageFolder = path.join(
  path.dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))),
  '..',
);

function fontConfiguration(folder) {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${path.join(folder, 'fonts', 'fonts')}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${path.join(folder, 'fonts', 'cache')}</cachedir>
</fontconfig>
`;
}

async function unpack(folder) {
  const draft = `${folder}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  process.env.TMPDIR = draft;
  const { default: chromium, inflate } = await import('@sparticuz/chromium');
  await chromium.executablePath();
  await inflate(path.join(packageFolder, 'bin', LIBRARIES));
  writeFileSync(path.join(draft, 'fonts.conf'), fontConfiguration(folder));
  try {
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another run may have been quicker; its copy is as good.
    if (!existsSync(path.join(folder, 'chromium'))) throw error;
  }
}

async function bringChromium() {
  if (process.env.CHROMIUM_PATH) {
    return { executablePath: process.env.CHROMIUM_PATH, env: {} };
  }
  const platform = `${process.platform}-${process.arch}`;
  if (platform !== 'linux-x64') {
    throw new Error(
      `The Chromium that the project brings runs on linux-x64 only; set CHROMIUM_PATH to one for ${platform}`,
    );
  }
  const { version } = JSON.parse(
    readFileSync(path.join(packageFolder, 'package.json'), 'utf8'),
  );
  const folder = path.join(paths.tools, `chromium-${version}`);
  const executablePath = path.join(folder, 'chromium');
  if (!existsSync(executablePath)) await unpack(folder);
  return {
    executablePath,
    env: {
      LD_LIBRARY_PATH: path.join(folder, 'al2023', 'lib'),
      FONTCONFIG_FILE: path.join(folder, 'fonts.conf'),
    },
  };
}

try {
  process.stdout.write(`${JSON.stringify(await bringChromium())}\n`);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
