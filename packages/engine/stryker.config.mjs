// Mutation testing of the engine's verdicts: does a test notice when the code is wrong? Run by the root task `mutate`.
import jestConfig from '@backstage/cli/config/jest.js';

// Stryker works on a copy of the package: the root of the tests has to move along with it.
const { rootDir: _root, ...jest } = await jestConfig;

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  mutate: [
    'src/compare/compare.ts',
    'src/compare/equal.ts',
    'src/compare/extras.ts',
    'src/compare/owned.ts',
    'src/accepted.ts',
    'src/classificationTable.ts',
    'src/classify.ts',
    'src/decide.ts',
    'src/ownershipMarks.ts',
  ],
  testRunner: 'jest',
  plugins: ['@stryker-mutator/jest-runner'],
  jest: {
    config: {
      ...jest,
      rootDir: 'src',
      // The engine knows no DOM, and an environment without one starts much faster.
      testEnvironment: 'node',
      // Fixed examples only: what a random one happens to catch, the next run may miss.
      testPathIgnorePatterns: ['\\.property\\.test\\.ts$', '/cli/'],
    },
  },
  coverageAnalysis: 'perTest',
  concurrency: 2,
  // Beside the packages, so that a copy finds docs/ where the package finds it.
  tempDirName: '../../.stryker-tmp',
  reporters: ['clear-text', 'html', 'json'],
  clearTextReporter: { allowColor: false, logTests: false },
  htmlReporter: { fileName: 'reports/mutation.html' },
  jsonReporter: { fileName: 'reports/mutation.json' },
};
