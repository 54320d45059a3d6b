/*
 * Who has the share of a budget that is set aside for sweeps: one replica at a time, which then counts it alone.
 */

// @ts-check

/**
 * @param {import('knex').Knex} knex
 */
exports.up = async function up(knex) {
  await knex.schema.alterTable('budgets', table => {
    table.text('sweeper').comment('Who may use the share that sweeps have');
  });
};

/**
 * @param {import('knex').Knex} knex
 */
exports.down = async function down(knex) {
  await knex.schema.alterTable('budgets', table => {
    table.dropColumn('sweeper');
  });
};
