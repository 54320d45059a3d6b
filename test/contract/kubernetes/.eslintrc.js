// The contract is one suite in several files, which the test file calls: these files hold tests and export them. What
// is expected of an answer is often said by a helper.
module.exports = {
  rules: {
    'jest/no-export': 'off',
    'jest/no-standalone-expect': [
      'error',
      { additionalTestBlockFunctions: ['itWhere'] },
    ],
    'jest/expect-expect': [
      'warn',
      { assertFunctionNames: ['expect', 'expectFailure'] },
    ],
  },
};
