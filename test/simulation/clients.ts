/** The platforms and sources as the loop sees them: the interfaces of drift-node over the simulated network. */
import { overlay, type JsonObject } from '@plumbline/drift-engine';
import {
  resourceKey,
  type ResourceRef,
} from '@plumbline/backstage-plugin-drift-common';
import {
  PlatformError,
  type DeclarationOrigin,
  type DeclarationSource,
  type DeclaredRead,
  type DeclaredResource,
  type LiveRead,
  type Platform,
  type RemovePlan,
  type RequestGate,
  type SweepPage,
  type WritePlan,
  type WriteReceipt,
} from '@plumbline/backstage-plugin-drift-node';
import { send } from './network';
import {
  locatorsOf,
  OURS,
  SCHEMAS,
  toLiveObject,
  type DeclarationServer,
  type LiveServer,
  type LiveState,
} from './servers';
import type { Worker } from './worker';

const PAGE = 3;
/** How far behind a replica that answers a bulk read may be. */
const BEHIND_MS = 2_000;

/** Pages of a bulk read, all of one moment or each of its own. */
class Pages<T> {
  private snapshot?: T[];

  constructor(
    private readonly read: () => T[],
    private readonly atOnce: boolean,
  ) {}

  /** A page, and one more where another page follows. */
  from(index: number): T[] {
    if (!this.snapshot || !this.atOnce) this.snapshot = this.read();
    return this.snapshot.slice(index, index + PAGE + 1);
  }
}

export class SimPlatform implements Platform {
  static readonly BUDGET = { requestsPerMinute: 6_000, reserve: 0.2 };
  readonly id: string;
  readonly type = 'simulated';
  readonly title: string;
  readonly budget = SimPlatform.BUDGET;
  readonly kinds: readonly string[];
  watch?: Platform['watch'];

  constructor(
    private readonly worker: Worker,
    private readonly server: LiveServer,
    private readonly gate: RequestGate,
  ) {
    this.id = server.id;
    this.title = server.id;
    this.kinds = server.kinds;
    if (server.preconditions) {
      this.watch = (_scope, options) => this.watchChanges(options);
    }
  }

  async schema(kind: string) {
    const schema = SCHEMAS.get(kind);
    if (!schema) throw new PlatformError('invalid', `There is no kind ${kind}`);
    return schema;
  }

  async health() {
    return { status: 'ok' as const };
  }

  async *sweep(
    _scope: { kinds: string[] },
    { signal }: { signal: AbortSignal },
  ): AsyncIterable<SweepPage> {
    const { worker, server } = this;
    const { sim } = worker;
    worker.cut.set(this.id, true);
    const fate = sim.bulkFate();
    if (fate === 'empty') {
      worker.say(`sweep ${this.id}: an empty answer`);
      worker.cut.set(this.id, false);
      return;
    }
    const behind = fate === 'behind' ? sim.fates.int(1, BEHIND_MS) : 0;
    if (behind) worker.say(`sweep ${this.id}: ${behind} ms behind`);
    // as of one moment for Kubernetes, page by page for Konnect
    const pages = new Pages(
      () => server.at(sim.now - behind),
      behind > 0 || server.preconditions,
    );
    for (let page = 0; ; page++) {
      const from = page * PAGE;
      const items = await this.gate.run({ signal, priority: 'sweep' }, () => {
        sim.checks.requestSent(worker, this.id);
        return send(worker, {
          what: `LIST ${this.id} page ${page + 1}`,
          repeatable: true,
          writes: false,
          signal,
          effect: () => pages.from(from),
        });
      });
      yield { items: items.slice(0, PAGE).map(toLiveObject) };
      if (items.length <= PAGE) break;
    }
    worker.cut.set(this.id, false);
  }

  async get(
    key: string,
    options: { signal: AbortSignal; declared?: DeclaredResource },
  ): Promise<LiveRead> {
    const { server } = this;
    return this.read(
      `GET ${key}`,
      { liveKey: key, declared: options.declared },
      options.signal,
      () => {
        const state = server.objects.get(key);
        return state
          ? { found: true, live: toLiveObject(state) }
          : { found: false };
      },
    );
  }

  async find(
    declared: DeclaredResource,
    { signal }: { signal: AbortSignal },
  ): Promise<LiveRead> {
    const { server } = this;
    return this.read(`FIND ${declared.ref.name}`, { declared }, signal, () => {
      for (const locator of declared.locators) {
        const found = server.answeringTo(declared.ref.kind, locator);
        if (found.length > 1) {
          return { found: 'several', keys: found.map(state => state.key) };
        }
        if (found.length === 1) {
          return { found: true, live: toLiveObject(found[0]) };
        }
      }
      return { found: false };
    });
  }

  private async read(
    what: string,
    about: { liveKey?: string; declared?: DeclaredResource },
    signal: AbortSignal,
    effect: () => LiveRead,
  ): Promise<LiveRead> {
    const { worker } = this;
    const refKey = about.declared && resourceKey(about.declared.ref);
    const note = (read: LiveRead | undefined) =>
      worker.noteRead({
        side: 'live',
        refKey,
        liveKey: read?.found === true ? read.live.key : about.liveKey,
        failed: read === undefined,
        found: read?.found !== undefined && read.found !== false,
        version: read?.found === true ? read.live.version : undefined,
      });
    try {
      const read = await this.gate.run({ signal }, () => {
        worker.sim.checks.requestSent(worker, this.id);
        return send(worker, {
          what,
          repeatable: true,
          writes: false,
          signal,
          effect,
        });
      });
      note(read);
      return read;
    } catch (error) {
      note(undefined);
      throw error;
    }
  }

  async write(
    plan: WritePlan,
    { signal }: { signal: AbortSignal },
  ): Promise<WriteReceipt> {
    const { worker, server } = this;
    const { sim } = worker;
    const { live, declared, ref } = plan;
    const document = overlay({
      schema: plan.schema,
      live: live?.document ?? null,
      declared: declared.document,
      fields: plan.fields,
      removals: plan.removals,
    }) as JsonObject;
    const repeatable =
      live !== null ||
      declared.deterministicId !== undefined ||
      server.preconditions;
    const what = `${live ? 'PUT' : 'CREATE'} ${live?.key ?? ref.name}`;
    return this.gate.run({ signal }, async () => {
      sim.checks.requestSent(worker, this.id);
      sim.checks.writeSent(worker, plan);
      const sent = sim.checks.begin(worker, ref);
      worker.say(
        `sends ${what} ${JSON.stringify(document)} planned on ${
          live ? JSON.stringify(live.document) : 'nothing'
        }`,
      );
      try {
        return await send(worker, {
          what,
          repeatable,
          writes: true,
          signal,
          effect: () => {
            const id =
              live?.id ?? declared.deterministicId ?? sim.serverIds.uuid();
            const key =
              live?.key ??
              `${ref.kind}/${server.preconditions ? ref.name : id}`;
            server.expect(key, live?.version);
            const before = server.objects.get(key);
            const after = server.put(ref.kind, id, document, {
              mark: declared.mark?.value,
              by: OURS,
            });
            sim.checks.writeLanded(worker, server, plan, { before, after });
            return {
              key: after.key,
              id: after.id,
              version: after.version,
              requests: [what],
            };
          },
        });
      } finally {
        sent();
      }
    });
  }

  async remove(
    plan: RemovePlan,
    { signal }: { signal: AbortSignal },
  ): Promise<void> {
    const { worker, server } = this;
    const { sim } = worker;
    const what = `DELETE ${plan.live.key}`;
    await this.gate.run({ signal }, async () => {
      sim.checks.requestSent(worker, this.id);
      sim.checks.removeSent(worker, plan);
      const sent = sim.checks.begin(worker, plan.ref);
      worker.say(`sends ${what}`);
      try {
        await send(worker, {
          what,
          repeatable: true,
          writes: true,
          signal,
          effect: () => {
            if (!server.objects.has(plan.live.key)) return;
            server.expect(plan.live.key, plan.live.version);
            const before = server.objects.get(plan.live.key);
            server.delete(plan.live.key);
            sim.checks.removeLanded(worker, server, plan, before);
          },
        });
      } finally {
        sent();
      }
    });
  }

  private watchChanges(options: Parameters<NonNullable<Platform['watch']>>[1]) {
    const { worker, server } = this;
    return watching(
      worker,
      options.signal,
      server,
      tell =>
        (change: { key: string; before?: LiveState; after?: LiveState }) => {
          const state = change.after ?? change.before;
          if (!state) return;
          tell(() =>
            options.onChange([
              {
                key: change.key,
                locators: locatorsOf(state),
                version: change.after?.version ?? 'deleted',
              },
            ]),
          );
        },
    );
  }
}

export class SimSource implements DeclarationSource {
  readonly id: string;
  readonly title: string;
  watch?: DeclarationSource['watch'];

  constructor(
    private readonly worker: Worker,
    private readonly server: DeclarationServer,
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
    if (fate === 'empty') {
      worker.say(`list ${this.id}: an empty answer`);
    } else {
      const behind = fate === 'behind' ? sim.fates.int(1, BEHIND_MS) : 0;
      if (behind) worker.say(`list ${this.id}: ${behind} ms behind`);
      const pages = new Pages(() => server.at(sim.now - behind), true);
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
    sim.checks.listedCompletely(this.id, seen);
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

/** A watch that is late, loses some of what happens, says some of it twice, and ends now and then. */
function watching<C>(
  worker: Worker,
  signal: AbortSignal,
  server: { id: string; listeners: Set<(change: C) => void> },
  make: (tell: (run: () => void) => void) => (change: C) => void,
): Promise<void> {
  const { sim } = worker;
  return new Promise((resolve, reject) => {
    const end = { listen: () => {} };
    const tell = (run: () => void) => {
      const fate = sim.faulty
        ? sim.fates.weighted({ told: 80, lost: 10, twice: 7, ends: 3 })
        : 'told';
      if (fate === 'lost') return;
      if (fate === 'ends') {
        end.listen();
        worker.answer(1, `watch ${server.id}`, false, () =>
          reject(new PlatformError('transient', 'the watch was closed')),
        );
        return;
      }
      for (let i = 0; i < (fate === 'twice' ? 2 : 1); i++) {
        worker.answer(
          sim.latency.int(2, sim.faulty ? 1_500 : 60),
          `watch ${server.id}`,
          false,
          () => {
            if (!signal.aborted) run();
          },
        );
      }
    };
    const toldOf = make(tell);
    const listener = (change: C) => {
      if (worker.alive) toldOf(change);
      else end.listen();
    };
    end.listen = () => server.listeners.delete(listener);
    server.listeners.add(listener);
    signal.addEventListener('abort', () => {
      end.listen();
      resolve();
    });
  });
}
