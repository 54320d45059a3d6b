// What a nested npm and the tasks get to see of the caller's environment.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanEnvironment, taskEnvironment } from './environment.mjs';

test('keeps how to reach the registry and drops what the outer script runner said to its script', () => {
  assert.deepEqual(
    cleanEnvironment({
      HOME: '/home/someone',
      npm_config_registry: 'https://registry.example',
      'npm_config_@scope:registry': 'https://other.example',
      NPM_CONFIG_CAFILE: '/etc/ca.pem',
      npm_config_https_proxy: 'http://proxy.example',
      npm_config_prefix: '/somewhere',
      npm_config_local_prefix: '/somewhere',
      npm_config_workspace: 'a',
      npm_config_ignore_scripts: 'true',
      npm_lifecycle_event: 'test',
      npm_package_json: '/somewhere/package.json',
      npm_execpath: '/somewhere/npm-cli.js',
      BERRY_BIN_FOLDER: '/tmp/berry',
    }),
    {
      HOME: '/home/someone',
      npm_config_registry: 'https://registry.example',
      'npm_config_@scope:registry': 'https://other.example',
      NPM_CONFIG_CAFILE: '/etc/ca.pem',
      npm_config_https_proxy: 'http://proxy.example',
    },
  );
});

test("puts the project's tools before everything else on the PATH", () => {
  const { PATH } = taskEnvironment(
    { bin: '/p/.tools/bin' },
    { PATH: '/usr/bin' },
  );
  assert.equal(PATH.split(':').at(0), '/p/.tools/bin');
  assert.equal(PATH.split(':').at(-1), '/usr/bin');
});
