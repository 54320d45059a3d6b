module.exports = require('@backstage/cli/config/eslint-factory')(__dirname, {
  rules: {
    // openapi-fetch names its methods after the HTTP methods
    'new-cap': ['error', { capIsNew: false }],
  },
});
