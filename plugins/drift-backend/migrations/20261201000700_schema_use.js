/*
 * When a decision was last made with a schema, so that those of decisions that are gone can go, too.
 */

// @ts-check

/**
 * @param {import('knex').Knex} knex
 */
exports.up = async function up(knex) {
  await knex.schema.alterTable('schemas', table => {
    table
      .bigInteger('used_at')
      .notNullable()
      .defaultTo(0)
      .comment('A decision was made with it then, or up to a day later');
    table.index(['used_at'], 'schemas_used_idx');
  });
  // nobody knows of those that are there
  await knex('schemas').update({ used_at: Date.now() });
};

/**
 * @param {import('knex').Knex} knex
 */
exports.down = async function down(knex) {
  await knex.schema.alterTable('schemas', table => {
    table.dropIndex(['used_at'], 'schemas_used_idx');
    table.dropColumn('used_at');
  });
};
