/*
 * Tables of the drift backend. JSON is kept as text, so that SQLite and PostgreSQL behave alike and long integers keep
 * their digits; times are milliseconds since the epoch.
 */

// @ts-check

/**
 * @param {import('knex').Knex} knex
 */
exports.up = async function up(knex) {
  await knex.schema.createTable('scopes', table => {
    table.comment(
      'Platforms and declaration sources, and how their last reads went',
    );
    table.text('id').primary();
    table.string('kind', 16).notNullable();
    table.text('title').notNullable();
    table.string('status', 16).notNullable();
    table.text('message');
    table.bigInteger('last_complete_at');
    table.bigInteger('last_tried_at');
    table.integer('sweep_ms');
    table.integer('failures').notNullable().defaultTo(0);
  });

  await knex.schema.createTable('resources', table => {
    table.comment(
      'One row for each thing with a declared side and a live side',
    );
    table.string('id', 36).primary();
    table.text('ref_key').notNullable().unique();
    table.text('platform').notNullable();
    table.text('kind').notNullable();
    table.text('namespace').notNullable().defaultTo('');
    table.text('name').notNullable();
    table.text('title').notNullable();
    table.string('verdict', 20).notNullable();
    table.string('reason', 64).notNullable();
    table.text('message').notNullable();
    table.bigInteger('since').notNullable();
    table.bigInteger('verified_at');
    table.boolean('dirty').notNullable();
    table.text('source');
    table.text('origin');
    table.text('parent');
    table.text('controller');
    table.text('read_only');
    table.text('declared_version');
    table.text('declared_digest');
    table.text('live_key');
    table.text('live_id');
    table.text('live_version');
    table.text('live_digest');
    table.bigInteger('changed_at');
    table.text('changed_by');
    table.bigInteger('agreed_at');
    table.text('evaluation');
    table.integer('drifted_fields').notNullable().defaultTo(0);
    table.text('owned_before').notNullable();
    table.boolean('created_before').notNullable();
    table.integer('orphan_sightings').notNullable().defaultTo(0);
    table.bigInteger('max_staleness_ms').notNullable();
    table.bigInteger('resync_ms').notNullable();
    table.text('pause');
    table.text('policy').notNullable();
    table.text('next_message').notNullable();
    table.boolean('next_may_write').notNullable();
    table.bigInteger('due_at').notNullable();
    table.integer('attempts').notNullable().defaultTo(0);
    table.bigInteger('failing_since');
    table.text('convergence').notNullable();
    table.text('owner').comment('Owner of the first entity that it belongs to');
    table.text('lease_owner');
    table.bigInteger('lease_until');
    table
      .integer('lease_token')
      .notNullable()
      .defaultTo(0)
      .comment('Grows with every lease: an older one is refused');
    table
      .integer('touched')
      .notNullable()
      .defaultTo(0)
      .comment(
        'Grows whenever a pass is brought forward, so that a running pass does not swallow the wish',
      );
    table.integer('lease_touched').notNullable().defaultTo(0);
    table.index(['due_at'], 'resources_due_idx');
    table.index(
      ['platform', 'kind', 'namespace', 'name'],
      'resources_name_idx',
    );
    table.index(['platform', 'live_key'], 'resources_live_idx');
    table.index(['source'], 'resources_source_idx');
    table.index(['owner'], 'resources_owner_idx');
  });

  await knex.schema.createTable('resource_entities', table => {
    table.comment('Catalog entities that a resource belongs to');
    table.string('resource_id', 36).notNullable();
    table.text('entity_ref').notNullable();
    table.text('owner');
    table.primary(['resource_id', 'entity_ref']);
    table.foreign('resource_id').references('resources.id').onDelete('CASCADE');
    table.index(['entity_ref'], 'resource_entities_entity_idx');
    table.index(['owner'], 'resource_entities_owner_idx');
  });

  await knex.schema.createTable('states', table => {
    table.comment(
      'Normalised, redacted states: agreed for all, declared and live while they differ',
    );
    table.string('resource_id', 36).notNullable();
    table.string('side', 16).notNullable();
    table.text('state').notNullable();
    table.primary(['resource_id', 'side']);
    table.foreign('resource_id').references('resources.id').onDelete('CASCADE');
  });

  await knex.schema.createTable('kept_fields', table => {
    table.comment('Live values that a person decided to keep');
    table.string('resource_id', 36).notNullable();
    table.text('path').notNullable();
    table.text('field').notNullable();
    table.primary(['resource_id', 'path']);
    table.foreign('resource_id').references('resources.id').onDelete('CASCADE');
  });

  await knex.schema.createTable('episodes', table => {
    table.comment(
      'A drift from the moment it was seen to the moment it was gone',
    );
    table.string('id', 36).primary();
    table.string('resource_id', 36).notNullable();
    table.bigInteger('started_at').notNullable();
    table.bigInteger('ended_at');
    table.string('ending', 32);
    table.text('episode').notNullable();
    // No foreign key: it outlives its resource.
    table.index(['resource_id', 'started_at'], 'episodes_resource_idx');
  });

  await knex.schema.createTable('conflicts', table => {
    table.comment(
      'Questions that wait for a person, and how they were answered',
    );
    table.string('id', 36).primary();
    table.string('resource_id', 36).notNullable();
    table.string('status', 16).notNullable();
    table.string('kind_of_question', 16).notNullable();
    table.bigInteger('opened_at').notNullable();
    table.text('conflict').notNullable();
    // No foreign key: it outlives its resource.
    table.index(['resource_id', 'status'], 'conflicts_resource_idx');
    table.index(['status', 'opened_at'], 'conflicts_status_idx');
  });

  await knex.schema.createTable('decisions', table => {
    table.comment(
      'Append-only: what was decided, from which inputs, and what came of it',
    );
    table.string('id', 36).primary();
    // No foreign key: it outlives its resource.
    table.string('resource_id', 36).notNullable();
    table.bigInteger('at').notNullable();
    table.text('result');
    table.text('decision').notNullable();
    table.text('inputs').notNullable();
    table.index(['resource_id', 'at'], 'decisions_resource_idx');
    table.index(['at'], 'decisions_at_idx');
  });

  await knex.schema.createTable('intents', table => {
    table.comment('Intentions to write, stored before the write');
    table.string('id', 36).primary();
    table.string('resource_id', 36).notNullable();
    table.string('decision_id', 36).notNullable();
    table.string('action', 16).notNullable();
    table.bigInteger('created_at').notNullable();
    table.integer('lease_token').notNullable();
    table.text('live_digest').notNullable();
    table.bigInteger('finished_at');
    table.text('outcome');
    table.foreign('resource_id').references('resources.id').onDelete('CASCADE');
    table.index(['resource_id', 'finished_at'], 'intents_resource_idx');
  });

  await knex.schema.createTable('rules', table => {
    table.comment('Policies and pauses set in the portal');
    table.string('id', 36).primary();
    table.text('rule').notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('until');
  });

  await knex.schema.createTable('leases', table => {
    table.comment('Who sweeps and watches what');
    table.text('name').primary();
    table.text('owner').notNullable();
    table.bigInteger('until').notNullable();
  });

  await knex.schema.createTable('budgets', table => {
    table.comment('Request budgets, shared by all replicas');
    table.text('platform').primary();
    table.integer('revision').notNullable();
    table.double('tokens').notNullable();
    table.bigInteger('refilled_at').notNullable();
    table.bigInteger('closed_until');
  });
};

/**
 * @param {import('knex').Knex} knex
 */
exports.down = async function down(knex) {
  for (const name of [
    'budgets',
    'leases',
    'rules',
    'intents',
    'decisions',
    'conflicts',
    'episodes',
    'kept_fields',
    'states',
    'resource_entities',
    'resources',
    'scopes',
  ]) {
    await knex.schema.dropTable(name);
  }
};
