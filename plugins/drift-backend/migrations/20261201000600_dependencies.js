/*
 * What a resource refers to, so that it is looked at again when that appears, goes, or becomes another.
 */

// @ts-check

/**
 * @param {import('knex').Knex} knex
 */
exports.up = async function up(knex) {
  await knex.schema.createTable('dependencies', table => {
    table.comment('Which resource refers to which, by its declaration');
    table.string('resource_id', 36).notNullable();
    table.text('ref_key').notNullable();
    table
      .text('live_id')
      .comment('What was filled in at the last look; null: it was not there');
    table.primary(['resource_id', 'ref_key']);
    table.foreign('resource_id').references('resources.id').onDelete('CASCADE');
    table.index(['ref_key'], 'dependencies_ref_idx');
  });
};

/**
 * @param {import('knex').Knex} knex
 */
exports.down = async function down(knex) {
  await knex.schema.dropTable('dependencies');
};
