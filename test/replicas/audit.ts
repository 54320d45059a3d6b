/**
 * A second book kept by PostgreSQL itself, in triggers: who held which lease from when to when, and every intent that was ever stored.
 * The product's own tables only know the present.
 */
import createKnex, { type Knex } from 'knex';

export interface LeaseEvent {
  /** Milliseconds since the epoch. */
  at: number;
  /** A resource's ID, or `lease:` and the name of a lease on something else. */
  subject: string;
  owner: string | null;
  token: number;
  until: number | null;
}

export interface IntentEvent {
  at: number;
  id: string;
  resourceId: string;
  decisionId: string;
  action: string;
  token: number;
}

export interface KnownResource {
  id: string;
  platform: string;
  kind: string;
  name: string;
}

export interface StoredDecision {
  id: string;
  resourceId: string;
  decision: { action: string; rule: string; plan: string[]; trigger: string };
  inputs: {
    declared?: { value: unknown } | null;
    live?: { value: unknown } | null;
    lastAgreed?: { value: unknown } | null;
    choice?: unknown;
  };
}

export interface StoredEpisode {
  id: string;
  resourceId: string;
  startedAt: number;
  endedAt?: number;
}

export interface ResourceState {
  id: string;
  platform: string;
  kind: string;
  name: string;
  verdict: string;
  reason: string;
  message: string;
  dirty: boolean;
  declared: boolean;
  dueAt: number;
  asked: boolean;
  leasedUntil?: number;
}

/** What must never become less. */
export type Kept = Record<string, string[]>;

const TRIGGERS = `
create schema audit;
create table audit.leases (
  seq bigserial primary key, at bigint, subject text, owner text, token integer, until bigint
);
create table audit.intents (
  seq bigserial primary key, at bigint, id text, resource_id text, decision_id text, action text, token integer
);
create table audit.resources (id text primary key, platform text, kind text, name text);
create function audit.now() returns bigint language sql as
  $$ select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) $$;
create function audit.resource() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into audit.resources values (new.id, new.platform, new.kind, new.name) on conflict do nothing;
  elsif tg_op = 'DELETE' then
    insert into audit.leases (at, subject, owner, token, until) values (audit.now(), old.id, null, old.lease_token, null);
  elsif (new.lease_owner, new.lease_token, new.lease_until)
    is distinct from (old.lease_owner, old.lease_token, old.lease_until) then
    insert into audit.leases (at, subject, owner, token, until)
      values (audit.now(), new.id, new.lease_owner, new.lease_token, new.lease_until);
  end if;
  return null;
end $$;
create trigger audit after insert or update or delete on resources for each row execute function audit.resource();
create function audit.lease() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    insert into audit.leases (at, subject, owner, token, until) values (audit.now(), 'lease:' || old.name, null, 0, null);
  else
    insert into audit.leases (at, subject, owner, token, until)
      values (audit.now(), 'lease:' || new.name, new.owner, 0, new.until);
  end if;
  return null;
end $$;
create trigger audit after insert or update or delete on leases for each row execute function audit.lease();
create function audit.intent() returns trigger language plpgsql as $$
begin
  insert into audit.intents (at, id, resource_id, decision_id, action, token)
    values (audit.now(), new.id, new.resource_id, new.decision_id, new.action, new.lease_token);
  return null;
end $$;
create trigger audit after insert on intents for each row execute function audit.intent();
insert into audit.resources select id, platform, kind, name from resources on conflict do nothing;
`;

export class Audit {
  private readonly knex: Knex;

  /** @param connectionString - of the drift plugin's database, by a user who may create triggers */
  constructor(connectionString: string) {
    this.knex = createKnex({
      client: 'pg',
      connection: connectionString,
      pool: { min: 0, max: 3 },
    });
  }

  async install(): Promise<void> {
    await this.knex.raw(TRIGGERS);
  }

  async leases(): Promise<LeaseEvent[]> {
    const rows = await this.knex('audit.leases').orderBy('seq');
    return rows.map(row => ({
      at: Number(row.at),
      subject: row.subject,
      owner: row.owner,
      token: row.token,
      until: row.until === null ? null : Number(row.until),
    }));
  }

  async intents(): Promise<IntentEvent[]> {
    const rows = await this.knex('audit.intents').orderBy('seq');
    return rows.map(row => ({
      at: Number(row.at),
      id: row.id,
      resourceId: row.resource_id,
      decisionId: row.decision_id,
      action: row.action,
      token: row.token,
    }));
  }

  /** Everything that was ever a resource. */
  async known(): Promise<KnownResource[]> {
    return this.knex('audit.resources');
  }

  async decisions(ids: string[]): Promise<Map<string, StoredDecision>> {
    const found = new Map<string, StoredDecision>();
    for (let from = 0; from < ids.length; from += 500) {
      const rows = await this.knex('decisions').whereIn(
        'id',
        ids.slice(from, from + 500),
      );
      for (const row of rows) {
        found.set(row.id, {
          id: row.id,
          resourceId: row.resource_id,
          decision: JSON.parse(row.decision),
          inputs: JSON.parse(row.inputs),
        });
      }
    }
    return found;
  }

  async episodes(): Promise<StoredEpisode[]> {
    const rows = await this.knex('episodes');
    return rows.map(row => ({
      id: row.id,
      resourceId: row.resource_id,
      startedAt: Number(row.started_at),
      endedAt: row.ended_at === null ? undefined : Number(row.ended_at),
    }));
  }

  /** Intents of which nobody has found out what became of them. */
  async openIntents(): Promise<string[]> {
    const rows = await this.knex('intents')
      .join('resources', 'resources.id', 'intents.resource_id')
      .whereNull('finished_at')
      .select(
        ...['kind', 'name', 'verdict', 'reason', 'dirty', 'due_at', 'action'],
        'created_at',
      );
    const now = Date.now();
    return rows.map(
      row =>
        `${row.action} of ${row.kind} ${row.name}, begun ${
          now - row.created_at
        } ms ago; now ${row.verdict} (${row.reason}), dirty ${
          row.dirty
        }, due in ${row.due_at - now} ms`,
    );
  }

  async resources(): Promise<ResourceState[]> {
    const asked = new Set<string>(
      await this.knex('conflicts')
        .where({ status: 'open' })
        .pluck('resource_id'),
    );
    const rows = await this.knex('resources').select(
      ...['id', 'platform', 'kind', 'name', 'verdict', 'reason', 'message'],
      ...['dirty', 'source', 'due_at', 'lease_until'],
    );
    return rows.map(row => ({
      id: row.id,
      platform: row.platform,
      kind: row.kind,
      name: row.name,
      verdict: row.verdict,
      reason: row.reason,
      message: row.message,
      dirty: row.dirty,
      declared: row.source !== null,
      dueAt: Number(row.due_at),
      asked: asked.has(row.id),
      ...(row.lease_until === null
        ? {}
        : { leasedUntil: Number(row.lease_until) }),
    }));
  }

  /** Who holds most leases on resources now. */
  async busiest(): Promise<string | undefined> {
    const row = await this.knex('resources')
      .select('lease_owner')
      .whereNotNull('lease_owner')
      .andWhere('lease_until', '>', Date.now())
      .groupBy('lease_owner')
      .orderByRaw('count(*) desc')
      .first();
    return row?.lease_owner;
  }

  /** Whether this process holds leases on resources now. */
  async holds(owner: string | undefined): Promise<boolean> {
    const row = await this.knex('resources')
      .where({ lease_owner: owner ?? null })
      .andWhere('lease_until', '>', Date.now())
      .first('id');
    return row !== undefined;
  }

  /** Who sweeps and watches now. */
  async observer(): Promise<string | undefined> {
    const row = await this.knex('leases').where({ name: 'observer' }).first();
    return row?.owner;
  }

  async kept(): Promise<Kept> {
    const kept: Kept = {};
    for (const table of ['decisions', 'episodes', 'conflicts', 'resources']) {
      kept[table] = await this.knex(table).pluck('id');
    }
    kept.intents = await this.knex('audit.intents').pluck('id');
    return kept;
  }

  async close(): Promise<void> {
    await this.knex.destroy();
  }
}
