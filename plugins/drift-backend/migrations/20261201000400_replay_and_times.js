/*
 * What replaying decisions and telling times takes: the schemas that decisions were made with, and how long each episode took to be
 * seen and to be put right.
 */

// @ts-check

/**
 * @param {import('knex').Knex} knex
 */
exports.up = async function up(knex) {
  await knex.schema.createTable('schemas', table => {
    table.comment('Schemas that decisions were made with, each once');
    table.string('digest', 128).primary();
    table.text('schema').notNullable();
  });
  await knex.schema.alterTable('episodes', table => {
    table
      .bigInteger('detect_ms')
      .comment('From the change to when it was seen, where it is told when');
    table
      .bigInteger('correct_ms')
      .comment(
        'From the change, or else from when it was seen, to when it was put right',
      );
    table.index(['started_at'], 'episodes_started_idx');
    table.index(['ended_at'], 'episodes_ended_idx');
  });
};

/**
 * @param {import('knex').Knex} knex
 */
exports.down = async function down(knex) {
  await knex.schema.alterTable('episodes', table => {
    table.dropIndex(['started_at'], 'episodes_started_idx');
    table.dropIndex(['ended_at'], 'episodes_ended_idx');
    table.dropColumn('detect_ms');
    table.dropColumn('correct_ms');
  });
  await knex.schema.dropTable('schemas');
};
