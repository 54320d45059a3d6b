#!/usr/bin/env node
// Runs the sandbox's command line from its TypeScript sources.
require('@backstage/cli/config/nodeTransform.cjs');
require('../src/cli/main.ts');
