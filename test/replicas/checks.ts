/** What must hold, judged from outside: the stand-ins' journal against the decisions, intents and leases that PostgreSQL noted. */
import type {
  IntentEvent,
  KnownResource,
  LeaseEvent,
  StoredDecision,
  StoredEpisode,
} from './audit';
import type { Incarnation } from './crew';
import { isReplica, type JournalEntry, type WriteEntry } from './journal';
import { LeaseBook } from './leaseBook';
import {
  FIELDS,
  PLATFORM,
  RESOURCE_KINDS,
  valueAt,
  type ThingKind,
} from './world';

export interface Evidence {
  journal: JournalEntry[];
  leases: LeaseEvent[];
  intents: IntentEvent[];
  known: KnownResource[];
  decisions: Map<string, StoredDecision>;
  episodes: StoredEpisode[];
  incarnations: Incarnation[];
  manifests: { name: string; at: number; value?: number }[];
  /** When PostgreSQL was away. */
  outages: { from: number; to: number }[];
}

export const INVARIANTS = {
  intent: 'every write of a replica has its intent and its decision',
  once: 'no intent is carried out twice',
  lease: 'no write without a lease, but from a process stopped in between',
  unseen: 'no edit is overwritten unseen outside the counted window',
  undeclared: 'nothing undeclared is reset outside the counted window',
  declaration: 'what is written is what was declared',
  conflict: 'no field that both sides moved is written',
  duplicate: 'no duplicate on Konnect',
  elsewhere: 'nothing is written to where nothing may be written',
  episode: 'every write belongs to an episode, but of a pass that was cut off',
} as const;

export type Invariant = keyof typeof INVARIANTS;

export interface Judgement {
  violations: Record<Invariant, string[]>;
  writes: Record<string, number>;
  /** Edits that came between the last read and the write, on the platform without preconditions. */
  window: {
    overwritten: number;
    undeclaredReset: number;
    declarationMoved: number;
    /** Milliseconds from the last read to the write, of all writes on Konnect. */
    lengths: number[];
  };
  /** Writes of a stopped process that landed after its lease was over. */
  afterLease: number;
  /** Of these, those that came while another process held the resource. */
  besideAnother: number;
  /** Writes of passes that were cut off before they could record an episode. */
  cutOff: number;
}

/** So long after its write a pass may still be cut off: it reads again, and both its platforms and PostgreSQL may be slow. */
const RECORD_MS = 30_000;

/** How old a fresh read may be when a write is sent, and a little for the sending. */
const FRESH_MS = 3_500;

const KIND_OF: Record<string, ThingKind | undefined> = {
  services: 'service',
  routes: 'route',
  configmaps: 'configMap',
};

const CUSTOM_RESOURCES: Partial<Record<ThingKind, string>> = {
  service: 'kongservices',
  route: 'kongroutes',
};

const same = (a: unknown, b: unknown) =>
  JSON.stringify(a) === JSON.stringify(b);

function add<K, V>(map: Map<K, V[]>, key: K, value: V) {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

class Judge {
  private readonly leases: LeaseBook;
  private readonly ids: Map<string, string>;
  private readonly episodes = new Map<string, StoredEpisode[]>();
  private readonly intentsOf = new Map<string, IntentEvent[]>();
  /** Everything about one entity, object or declaration, by collection and name. */
  private readonly writesTo = new Map<string, WriteEntry[]>();
  private readonly carriedOut = new Map<string, string>();
  private readonly result: Judgement;

  constructor(private readonly evidence: Evidence) {
    this.leases = new LeaseBook(evidence.leases);
    this.ids = new Map(
      evidence.known.map(({ id, platform, kind, name }) => [
        `${platform} ${kind} ${name}`,
        id,
      ]),
    );
    for (const episode of evidence.episodes) {
      add(this.episodes, episode.resourceId, episode);
    }
    for (const intent of evidence.intents) {
      add(this.intentsOf, intent.resourceId, intent);
    }
    for (const entry of evidence.journal) {
      if (entry.type === 'write') {
        add(this.writesTo, `${entry.collection} ${entry.name}`, entry);
      }
    }
    this.result = {
      violations: Object.fromEntries(
        Object.keys(INVARIANTS).map(name => [name, [] as string[]]),
      ) as Record<Invariant, string[]>,
      writes: {},
      window: {
        ...{ overwritten: 0, undeclaredReset: 0, declarationMoved: 0 },
        lengths: [],
      },
      ...{ afterLease: 0, besideAnother: 0, cutOff: 0 },
    };
  }

  run(): Judgement {
    this.duplicates();
    for (const entry of this.evidence.journal) {
      if (entry.type === 'write' && isReplica(entry.by)) this.write(entry);
    }
    return this.result;
  }

  private fail(invariant: Invariant, write: WriteEntry, what: string) {
    this.result.violations[invariant].push(
      `${new Date(write.at).toISOString()} #${write.seq} ${write.by} ${
        write.action
      } ${write.collection} ${write.name}: ${what}`,
    );
  }

  private write(write: WriteEntry) {
    const kind = KIND_OF[write.collection];
    const key = `${write.action} on ${write.side}`;
    this.result.writes[key] = (this.result.writes[key] ?? 0) + 1;
    if (!kind) {
      this.fail('elsewhere', write, 'this is no collection of ours');
      return;
    }
    const platform = kind === 'configMap' ? 'kubernetes/sandbox' : PLATFORM;
    const resourceId = this.ids.get(
      `${platform} ${RESOURCE_KINDS[kind]} ${write.name}`,
    );
    const incarnation = this.evidence.incarnations.find(
      ({ replica, from, to }) =>
        replica === write.by &&
        from <= write.at &&
        // what was sent before it was killed may arrive a moment later
        write.at <= (to ?? Infinity) + 1_000,
    );
    const owners = new Set(
      this.evidence.incarnations
        .filter(({ replica }) => replica === write.by)
        .map(({ instanceId }) => instanceId),
    );
    const intent = (this.intentsOf.get(resourceId ?? '') ?? [])
      .filter(
        one =>
          one.at <= write.at &&
          owners.has(this.leases.ownerOf(one.resourceId, one.token) ?? ''),
      )
      .at(-1);
    const decision = intent && this.evidence.decisions.get(intent.decisionId);
    if (!resourceId || !incarnation || !intent || !decision) {
      this.fail(
        'intent',
        write,
        `resource ${resourceId}, process ${incarnation?.instanceId}, intent ${intent?.id}, decision ${decision?.id}`,
      );
      return;
    }
    const twice = this.carriedOut.get(intent.id);
    if (twice !== undefined) {
      this.fail('once', write, `intent ${intent.id} was carried out ${twice}`);
    }
    this.carriedOut.set(intent.id, `by #${write.seq}`);
    this.lease(write, intent, incarnation);
    this.content(write, kind, intent, decision);
    this.episode(write, intent, incarnation);
  }

  private lease(
    write: WriteEntry,
    intent: IntentEvent,
    { instanceId, stops }: Incarnation,
  ) {
    const held = this.leases.at(intent.resourceId, write.at);
    if (
      held?.owner === instanceId &&
      held.token === intent.token &&
      (held.until ?? 0) > write.at
    ) {
      return;
    }
    const stopped = stops.some(
      ({ from, to }) => from <= write.at && (to ?? Infinity) >= intent.at,
    );
    const another =
      held !== undefined &&
      held.token > intent.token &&
      (held.until ?? 0) > write.at;
    if (!stopped) {
      this.fail(
        'lease',
        write,
        `intent ${intent.id} by token ${
          intent.token
        } of ${instanceId}; at that time ${JSON.stringify(held)}`,
      );
      return;
    }
    this.result.afterLease += 1;
    if (another) this.result.besideAnother += 1;
  }

  private content(
    write: WriteEntry,
    kind: ThingKind,
    intent: IntentEvent,
    { decision, inputs }: StoredDecision,
  ) {
    const field = FIELDS[kind].declared;
    const readSeq = this.lastRead(write, kind);
    const moved = this.movedSince(write, readSeq);
    const { window } = this.result;
    if (write.before !== undefined) {
      const seen = valueAt(inputs.live?.value, field);
      const was = valueAt(write.before, field);
      const replaced =
        write.action === 'delete' || !same(was, valueAt(write.after, field));
      if (replaced && !same(seen, was)) {
        if (write.side === 'konnect' && moved) window.overwritten += 1;
        else {
          this.fail(
            'unseen',
            write,
            `${was} was there, and the decision ${decision.rule} saw ${seen}`,
          );
        }
      }
      for (const path of this.changedBeside(write, field)) {
        if (write.side === 'konnect' && moved) window.undeclaredReset += 1;
        else this.fail('undeclared', write, `it changed ${path}`);
      }
    }
    const [agreed, wanted, live] = (
      ['lastAgreed', 'declared', 'live'] as const
    ).map(side => valueAt(inputs[side]?.value, field));
    if (
      write.action === 'update' &&
      agreed !== undefined &&
      ![wanted, live].some(value => same(value, agreed)) &&
      !same(wanted, live) &&
      inputs.choice === undefined
    ) {
      this.fail(
        'conflict',
        write,
        `agreed ${agreed}, declared ${wanted}, live ${live}, rule ${decision.rule}`,
      );
    }
    this.declaration(write, kind, intent, inputs);
  }

  /** What is written is declared now, or was when the declaration was read last. */
  private declaration(
    write: WriteEntry,
    kind: ThingKind,
    intent: IntentEvent,
    inputs: StoredDecision['inputs'],
  ) {
    const field = FIELDS[kind].declared;
    const written = valueAt(write.after, field);
    if (
      write.action !== 'delete' &&
      !same(written, valueAt(inputs.declared?.value, field))
    ) {
      this.fail(
        'declaration',
        write,
        `it wrote ${written}, decided was ${valueAt(
          inputs.declared?.value,
          field,
        )}`,
      );
    }
    const custom = CUSTOM_RESOURCES[kind];
    const changes = custom
      ? (this.writesTo.get(`${custom} ${write.name}`) ?? [])
          .filter(entry => entry.seq < write.seq)
          .map(entry => ({
            at: entry.at,
            seq: entry.seq,
            value: valueAt(entry.after, ['spec', ...field]),
          }))
      : this.evidence.manifests
          .filter(one => one.name === write.name && one.at <= write.at)
          .map(({ at, value }) => ({
            at,
            seq: 0,
            value: value === undefined ? undefined : String(value),
          }));
    const last = changes.at(-1);
    if (same(last?.value, written)) return;
    const readSeq =
      custom === undefined
        ? undefined
        : this.lastReadOf(write, `/${custom}/${write.name}`);
    const inWindow =
      last !== undefined &&
      (readSeq === undefined
        ? last.at > intent.at - FRESH_MS
        : last.seq > readSeq);
    if (inWindow) this.result.window.declarationMoved += 1;
    else {
      this.fail(
        'declaration',
        write,
        `${last?.value} was declared, and it wrote ${written}`,
      );
    }
  }

  private lastRead(write: WriteEntry, kind: ThingKind): number {
    const path =
      kind === 'configMap'
        ? `/configmaps/${write.name}`
        : `/${write.collection}/${write.id}`;
    const seq = this.lastReadOf(write, path) ?? 0;
    const read = this.evidence.journal.find(entry => entry.seq === seq);
    if (read && write.side === 'konnect') {
      this.result.window.lengths.push(write.at - read.at);
    }
    return seq;
  }

  private lastReadOf(write: WriteEntry, path: string): number | undefined {
    for (let n = write.seq - 2; n >= 0; n--) {
      const entry = this.evidence.journal[n];
      if (
        entry.type === 'read' &&
        entry.by === write.by &&
        entry.path.split('?')[0].endsWith(path)
      ) {
        return entry.seq;
      }
    }
    return undefined;
  }

  /** Somebody else changed it between the replica's last read and its write. */
  private movedSince(write: WriteEntry, readSeq: number): boolean {
    return (this.writesTo.get(`${write.collection} ${write.name}`) ?? []).some(
      entry =>
        entry.seq > readSeq && entry.seq < write.seq && entry.by !== write.by,
    );
  }

  /** Fields beside the declared one that an update changed. */
  private changedBeside(write: WriteEntry, field: string[]): string[] {
    if (write.action !== 'update') return [];
    const [before, after] = [write.before, write.after].map(document =>
      write.collection === 'configmaps'
        ? valueAt(document, ['data'])
        : document,
    ) as Record<string, unknown>[];
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
      key =>
        key !== field.at(-1) &&
        key !== 'updated_at' &&
        !same(before[key], after[key]),
    );
  }

  private episode(
    write: WriteEntry,
    intent: IntentEvent,
    { end, to, stops }: Incarnation,
  ) {
    const covered = (this.episodes.get(intent.resourceId) ?? []).some(
      ({ startedAt, endedAt }) =>
        // seen and put right in one pass: it is as long as the pass
        startedAt <= write.at + 60_000 &&
        (endedAt === undefined || endedAt >= intent.at),
    );
    if (covered) return;
    const released = this.leases.releasedAt(intent.resourceId, intent.token);
    const struck =
      (end !== undefined && to !== undefined) ||
      stops.some(stop => (stop.to ?? Infinity) >= intent.at) ||
      this.evidence.outages.some(
        outage => outage.from <= write.at + RECORD_MS && outage.to >= intent.at,
      );
    if (released === undefined && struck) this.result.cutOff += 1;
    else this.fail('episode', write, `intent ${intent.id} has no episode`);
  }

  private duplicates() {
    const live = new Map<string, WriteEntry>();
    for (const entry of this.evidence.journal) {
      if (entry.type !== 'write' || entry.side !== 'konnect') continue;
      const key = `${entry.collection} ${entry.name}`;
      const other = live.get(key);
      if (entry.action === 'delete') live.delete(key);
      else {
        if (other && other.id !== entry.id) {
          this.fail('duplicate', entry, `${other.id} is there already`);
        }
        live.set(key, entry);
      }
    }
  }
}

export function judge(evidence: Evidence): Judgement {
  return new Judge(evidence).run();
}
