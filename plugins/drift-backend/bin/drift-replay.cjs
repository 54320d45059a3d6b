#!/usr/bin/env node
/*
 * The `drift replay` command: from the sources inside the repository, from the build where the package is installed.
 */
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const sources = join(__dirname, '..', 'src', 'replay', 'index.ts');
let replay;
if (existsSync(sources)) {
  require('@backstage/cli/config/nodeTransform.cjs');
  replay = require(sources);
} else {
  replay = require('../dist/replay.cjs.js');
}

replay.main(process.argv.slice(2)).then(code => {
  process.exitCode = code;
});
