/*
 * Which listing of a source is later than a look that did not find a declaration: counted, because clocks of replicas differ.
 */

// @ts-check

/**
 * @param {import('knex').Knex} knex
 */
exports.up = async function up(knex) {
  await knex.schema.alterTable('scopes', table => {
    table
      .integer('absences')
      .notNullable()
      .defaultTo(0)
      .comment(
        'Grows whenever a fresh read of a single declaration did not find it',
      );
    table
      .integer('complete_through')
      .comment('What `absences` was when the last complete read began');
  });
  await knex.schema.alterTable('resources', table => {
    table
      .integer('absence')
      .comment(
        'What `absences` of its source was once the last look had not found its declaration',
      );
  });
};

/**
 * @param {import('knex').Knex} knex
 */
exports.down = async function down(knex) {
  await knex.schema.alterTable('resources', table => {
    table.dropColumn('absence');
  });
  await knex.schema.alterTable('scopes', table => {
    table.dropColumn('complete_through');
    table.dropColumn('absences');
  });
};
