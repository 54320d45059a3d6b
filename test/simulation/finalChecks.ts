/** What pages show now and then, and what is left at the end. */
import { resourceKey } from '@plumbline/backstage-plugin-drift-common';
import { replayStored } from './product';
import { BEHIND_MS } from './recordChecks';
import { SOMEBODY } from './servers';
import type { Simulation } from './simulation';
import type { RawRow, Tables } from './tables';

export class FinalChecks {
  constructor(private readonly sim: Simulation) {}

  private get tables(): Tables {
    return this.sim.tables;
  }

  /** What pages show right now. */
  async shown(): Promise<void> {
    const { sim } = this;
    const { items } = await sim.store.listResources(
      {},
      { limit: 100 },
      sim.now,
    );
    for (const row of items) {
      if (row.shownVerdict !== 'InSync' || row.source === undefined) continue;
      const from = sim.now - row.maxStalenessMs - BEHIND_MS - 2 * sim.maxSkew;
      if (!sim.oracle.wasEqualSince(row.ref, from)) {
        this.sim.violate(
          'in-sync-is-true',
          row.ref,
          'it is shown as in sync and has not been for longer than its bound',
        );
      }
    }
  }

  /** What is left when everything is at rest. */
  async atTheEnd(): Promise<void> {
    const { sim } = this;
    for (const ref of sim.refs) {
      if (sim.oracle.declaredNow(ref) && !this.tables.row(resourceKey(ref))) {
        this.sim.violate(
          'forgotten-on-doubt',
          ref,
          'it is declared, and there is no row of it',
        );
      }
    }
    const known = new Set<string>();
    for (const row of this.tables.all<RawRow>('select * from resources')) {
      if (row.live_key) known.add(row.live_key);
      if (row.mark)
        known.add((JSON.parse(row.mark) as { value: string }).value);
    }
    for (const server of sim.platforms.values()) {
      for (const { key, mark } of server.objects.values()) {
        if (mark && mark !== SOMEBODY && !known.has(mark) && !known.has(key)) {
          this.sim.violate(
            'no-orphan',
            undefined,
            `${key} bears ${mark}, and no row knows of it`,
          );
        }
      }
    }
    for await (const replay of replayStored(sim.database.knex)) {
      if (replay.outcome === 'same') continue;
      sim.violate(
        'replays',
        undefined,
        `decision ${replay.id}: ${
          replay.outcome === 'notReplayable'
            ? replay.why
            : replay.differences
                .map(
                  ({ what, stored, replayed }) =>
                    `${what} was "${stored}" and is "${replayed}"`,
                )
                .join(', ')
        }`,
      );
    }
    for (const worker of sim.processes.living) {
      const { healthy, message } = worker.loop.health();
      if (worker.alive && !worker.stopping && !healthy) {
        this.sim.violate(
          'loop-stands',
          undefined,
          `${worker.owner}: ${message}`,
        );
      }
    }
  }
}
