/** A place of declarations as the loop sees it: the interface of drift-node over the simulated network. */
import {
  resourceKey,
  type ResourceRef,
} from '@plumbline/backstage-plugin-drift-common';
import type {
  DeclarationOrigin,
  DeclarationSource,
  DeclaredRead,
  DeclaredResource,
  RequestGate,
} from '@plumbline/backstage-plugin-drift-node';
import { BEHIND_MS, PAGE, Pages } from './bulk';
import { send } from './network';
import { KUBERNETES, type DeclarationServer } from './servers';
import { watching } from './watching';
import type { Worker } from './worker';

export class SimSource implements DeclarationSource {
  readonly id: string;
  readonly title: string;
  watch?: DeclarationSource['watch'];

  constructor(
    private readonly worker: Worker,
    private readonly server: DeclarationServer,
    /** Of the cluster that holds the custom resources. */
    private readonly gate: RequestGate,
  ) {
    this.id = server.id;
    this.title = server.id;
    if (worker.sim.watchedSources.has(server.id)) {
      this.watch = options =>
        watching(worker, options.signal, server, tell => change => {
          if (change.after) {
            const { after } = change;
            tell(() => options.onChange([after]));
          } else tell(() => options.onRelist());
        });
    }
  }

  async *list({ signal }: { signal: AbortSignal }) {
    const { worker, server } = this;
    const { sim } = worker;
    worker.cut.set(this.id, true);
    const fate = sim.bulkFate();
    const seen = new Set<string>();
    let asOf = sim.now;
    if (fate === 'empty') {
      worker.say(`list ${this.id}: an empty answer`);
    } else {
      const behind = fate === 'behind' ? sim.fates.int(1, BEHIND_MS) : 0;
      if (behind) worker.say(`list ${this.id}: ${behind} ms behind`);
      const pages = new Pages(() => {
        asOf = sim.now - behind;
        return server.at(asOf);
      }, true);
      for (let page = 0; ; page++) {
        const from = page * PAGE;
        const items = await send(worker, {
          what: `LIST ${this.id} page ${page + 1}`,
          repeatable: true,
          writes: false,
          signal,
          effect: () => pages.from(from),
        });
        const shown = items.slice(0, PAGE);
        for (const one of shown) seen.add(resourceKey(one.ref));
        yield { items: shown };
        if (items.length <= PAGE) break;
      }
    }
    worker.cut.set(this.id, false);
    // an empty answer that looks complete is a complete read to everybody who gets it
    sim.checks.sent.listedCompletely(this.id, { asOf, seen });
  }

  async nudge(
    { ref }: DeclaredResource,
    { signal }: { signal: AbortSignal },
  ): Promise<{ message: string }> {
    const { worker, server } = this;
    const { sent } = worker.sim.checks;
    await this.gate.run({ signal }, async () => {
      sent.requestSent(worker, KUBERNETES);
      sent.nudgeSent(worker, ref);
      const answered = sent.begin(worker, ref);
      worker.say(`asks the controller of ${ref.name} to look again`);
      try {
        await send(worker, {
          what: `NUDGE ${ref.name}`,
          repeatable: true,
          writes: true,
          signal,
          effect: () => server.touch(ref),
        });
      } finally {
        answered();
      }
    });
    worker.nudgedAt.set(resourceKey(ref), worker.sim.now);
    return { message: 'The controller was asked to look again.' };
  }

  async get(
    _origin: DeclarationOrigin,
    ref: ResourceRef,
    { signal }: { signal: AbortSignal },
  ): Promise<DeclaredRead> {
    const { worker, server } = this;
    const refKey = resourceKey(ref);
    try {
      const declared = await send(worker, {
        what: `READ ${ref.name}`,
        repeatable: true,
        writes: false,
        signal,
        effect: () => server.items.get(refKey),
      });
      worker.noteRead({
        side: 'declared',
        refKey,
        failed: false,
        found: declared !== undefined,
        version: declared?.version,
      });
      return declared ? { found: true, declared } : { found: false };
    } catch (error) {
      worker.noteRead({ side: 'declared', refKey, failed: true, found: false });
      throw error;
    }
  }
}
