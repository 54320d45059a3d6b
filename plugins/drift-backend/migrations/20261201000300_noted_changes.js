/*
 * Which resources have changed of late, so that whoever knows the others already reads no more than these; and an index in whose
 * order all resources of a platform are read.
 */

// @ts-check

/**
 * @param {import('knex').Knex} knex
 */
exports.up = async function up(knex) {
  await knex.schema.alterTable('resources', table => {
    table
      .bigInteger('noted_at')
      .notNullable()
      .defaultTo(0)
      .comment(
        "Last change of identities, versions or the dirty mark, by the database's own clock",
      );
    table.index(['platform', 'noted_at'], 'resources_noted_idx');
    table.index(['platform', 'id'], 'resources_platform_idx');
  });
};

/**
 * @param {import('knex').Knex} knex
 */
exports.down = async function down(knex) {
  await knex.schema.alterTable('resources', table => {
    table.dropIndex(['platform', 'noted_at'], 'resources_noted_idx');
    table.dropIndex(['platform', 'id'], 'resources_platform_idx');
    table.dropColumn('noted_at');
  });
};
