/*
 * Where what an intent may have created would be found, when its declaration is gone before anybody has looked.
 */

// @ts-check

/**
 * @param {import('knex').Knex} knex
 */
exports.up = async function up(knex) {
  await knex.schema.alterTable('intents', table => {
    table
      .text('locators')
      .comment('Where what it creates would be found, best first');
  });
};

/**
 * @param {import('knex').Knex} knex
 */
exports.down = async function down(knex) {
  await knex.schema.alterTable('intents', table => {
    table.dropColumn('locators');
  });
};
