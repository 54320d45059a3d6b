/** A platform as the loop sees it: the interface of drift-node over the simulated network. */
import { overlay, type JsonObject } from '@plumbline/drift-engine';
import { resourceKey } from '@plumbline/backstage-plugin-drift-common';
import {
  PlatformError,
  type DeclaredResource,
  type LiveRead,
  type Platform,
  type RemovePlan,
  type RequestGate,
  type SweepPage,
  type WritePlan,
  type WriteReceipt,
} from '@plumbline/backstage-plugin-drift-node';
import { BEHIND_MS, PAGE, Pages } from './bulk';
import { send } from './network';
import {
  locatorsOf,
  OURS,
  SCHEMAS,
  toLiveObject,
  type LiveServer,
  type LiveState,
} from './servers';
import { watching } from './watching';
import type { Worker } from './worker';

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
    { signal, knows }: Parameters<Platform['sweep']>[1],
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
    const stale = () => (sim.pageIsStale() ? sim.fates.int(1, BEHIND_MS) : 0);
    // as of one moment for Kubernetes; page by page for Konnect, each from a replica of its own
    const pages = new Pages(
      () =>
        server.at(
          sim.now - (behind || server.preconditions ? behind : stale()),
        ),
      behind > 0 || server.preconditions,
    );
    for (let page = 0; ; page++) {
      const from = page * PAGE;
      const items = await this.gate.run({ signal, priority: 'sweep' }, () => {
        sim.checks.sent.requestSent(worker, this.id);
        return send(worker, {
          what: `LIST ${this.id} page ${page + 1}`,
          repeatable: true,
          writes: false,
          signal,
          effect: () => pages.from(from),
        });
      });
      yield this.page(items.slice(0, PAGE), knows);
      if (items.length <= PAGE) break;
    }
    worker.cut.set(this.id, false);
  }

  /** The digest is an honest one: a version is given once, so that it stands for all of an object. */
  private page(
    states: LiveState[],
    knows?: (digest: string) => boolean,
  ): SweepPage {
    const digest = states
      .map(({ key, version }) => `${key}@${version}`)
      .join(' ');
    if (knows?.(digest)) this.worker.sim.knownPages += 1;
    return { digest, items: states.map(toLiveObject) };
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
        worker.sim.checks.sent.requestSent(worker, this.id);
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
      sim.checks.sent.requestSent(worker, this.id);
      sim.checks.sent.writeSent(worker, plan);
      const sent = sim.checks.sent.begin(worker, ref);
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
            sim.checks.landed.writeLanded(worker, server, plan, {
              before,
              after,
            });
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
      sim.checks.sent.requestSent(worker, this.id);
      sim.checks.sent.removeSent(worker, plan);
      const sent = sim.checks.sent.begin(worker, plan.ref);
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
            sim.checks.landed.removeLanded(worker, server, plan, before);
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
