// A real Chromium for the browser tests: the one that the toolchain brings, or the one that CHROMIUM_PATH names.
import { resolvePackagePath } from '@backstage/backend-plugin-api';
import { spawnSync } from 'node:child_process';
import { type Browser, chromium } from 'playwright-core';

const PROVIDER = resolvePackagePath(
  '@plumbline/toolchain',
  'src/test/chromium.mjs',
);

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** How to start Chromium on this machine, or why it cannot be started. */
export type ChromiumProvision =
  | { executablePath: string; env: Record<string, string> }
  | { unavailable: string };

/** Lays Chromium out where it is not there yet (some seconds, once), and says how to start it. */
export function provideChromium(): ChromiumProvision {
  const { status, stdout, stderr, error } = spawnSync(
    process.execPath,
    [PROVIDER],
    { encoding: 'utf8' },
  );
  if (error) throw error;
  return status === 0 ? JSON.parse(stdout) : { unavailable: stderr.trim() };
}

/**
 * Starts a headless Chromium with a fresh profile. The caller closes it.
 *
 * @throws Error that names the remedy where this machine has no Chromium
 */
export async function launchChromium(): Promise<Browser> {
  const provision = provideChromium();
  if ('unavailable' in provision) throw new Error(provision.unavailable);
  return chromium.launch({
    executablePath: provision.executablePath,
    env: { ...process.env, ...provision.env } as Record<string, string>,
    headless: true,
    chromiumSandbox: false,
    args: FLAGS,
  });
}
