module.exports = require('@backstage/cli/config/eslint-factory')(__dirname, {
  rules: {
    // these tests put whole backends together, as an app does
    '@backstage/no-mixed-plugin-imports': 'off',
  },
});
