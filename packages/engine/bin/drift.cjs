#!/usr/bin/env node
/*
 * The `drift` command: from the sources inside the repository, from the build where the package is installed.
 */
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const sources = join(__dirname, '..', 'src', 'cli', 'index.ts');
let cli;
if (existsSync(sources)) {
  require('@backstage/cli/config/nodeTransform.cjs');
  cli = require(sources);
} else {
  cli = require('../dist/cli.cjs.js');
}

cli.main(process.argv.slice(2)).then(code => {
  process.exitCode = code;
});
