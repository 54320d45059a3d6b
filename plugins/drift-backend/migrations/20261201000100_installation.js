/*
 * What an installation makes once for itself (the key of secret digests), and the ownership mark of each resource.
 */

// @ts-check

/**
 * @param {import('knex').Knex} knex
 */
exports.up = async function up(knex) {
  await knex.schema.createTable('installation', table => {
    table.comment('Values that this installation made once for itself');
    table.string('name', 64).primary();
    table.text('value').notNullable();
  });
  await knex.schema.alterTable('resources', table => {
    table.text('mark').comment('The mark that says that a live object is ours');
  });
};

/**
 * @param {import('knex').Knex} knex
 */
exports.down = async function down(knex) {
  await knex.schema.alterTable('resources', table => {
    table.dropColumn('mark');
  });
  await knex.schema.dropTable('installation');
};
