/** Who edits: both sides, at random, under a seed; and who strikes the replicas. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../simulation/random';
import type { Audit } from './audit';
import type { Crew } from './crew';
import type { Orders } from './orders';
import { configMap, FIELDS, FIRST_VALUE, valueOf, type Thing } from './world';

const EDITS = {
  live: 40,
  undeclared: 12,
  declared: 20,
  both: 8,
  deleteLive: 8,
  declareNew: 6,
  undeclare: 4,
};

type Edit = keyof typeof EDITS;

/** Makes all edits and knows what is declared. */
export class Editor {
  readonly counts: Record<Edit, number> = {
    ...{ live: 0, undeclared: 0, declared: 0, both: 0 },
    ...{ deleteLive: 0, declareNew: 0, undeclare: 0 },
  };
  /** What is declared now. */
  readonly declared = new Map<string, { thing: Thing; value: number }>();
  /** When a manifest was changed or removed: the journal cannot know. */
  readonly manifests: { name: string; at: number; value?: number }[] = [];
  private lastValue = FIRST_VALUE;
  private lastName = 0;

  constructor(
    private readonly orders: Orders,
    private readonly random: Random,
    private readonly manifestFolder: string,
    things: Thing[],
  ) {
    for (const thing of things) {
      this.declared.set(thing.name, { thing, value: FIRST_VALUE });
      if (thing.kind === 'configMap') this.writeManifest(thing, FIRST_VALUE);
    }
  }

  /** Edits so often per second until `signal` ends. */
  async edit(perSecond: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.editOnce(this.random.weighted(EDITS));
      await pause(-Math.log(1 - this.random.next()) * (1000 / perSecond));
    }
  }

  async editOnce(what: Edit): Promise<Thing | undefined> {
    const known = this.random.pick([...this.declared.values()]).thing;
    const path = FIELDS[known.kind].declared;
    this.counts[what] += 1;
    switch (what) {
      case 'live':
        await this.editLive(known, path, this.nextValue());
        break;
      case 'undeclared':
        await this.editUndeclared(known);
        break;
      case 'declared':
        await this.declare(known, this.nextValue());
        break;
      case 'both':
        await Promise.all([
          this.editLive(known, path, this.nextValue()),
          this.declare(known, this.nextValue()),
        ]);
        break;
      case 'deleteLive':
        // a service with routes cannot be deleted
        if (known.kind !== 'service') {
          await this.orders.send({ do: 'deleteLive', thing: known });
        }
        break;
      case 'declareNew':
        return this.declareNew(known);
      default:
        if (known.kind !== 'service') await this.undeclare(known);
    }
    return known;
  }

  private async editLive(thing: Thing, path: string[], value: number) {
    await this.orders.send({
      ...{ do: 'editLive', thing, path },
      value: valueOf(thing.kind, value),
    });
  }

  private async editUndeclared(thing: Thing) {
    const value = this.nextValue();
    await this.orders.send({
      ...{ do: 'editLive', thing, path: FIELDS[thing.kind].undeclared },
      value:
        thing.kind === 'route' ? value % 2 === 0 : valueOf(thing.kind, value),
    });
  }

  private async declare(thing: Thing, value: number) {
    this.declared.set(thing.name, { thing, value });
    if (thing.kind === 'configMap') this.writeManifest(thing, value);
    else await this.orders.send({ do: 'declare', thing, value });
  }

  private async declareNew(like: Thing): Promise<Thing> {
    this.lastName += 1;
    const number = String(this.lastName).padStart(4, '0');
    const names = { service: 'svc', route: 'route', configMap: 'cm' };
    const thing: Thing = {
      ...like,
      name: `${names[like.kind]}-new-${number}`,
    };
    const value = this.nextValue();
    this.declared.set(thing.name, { thing, value });
    if (thing.kind === 'configMap') this.writeManifest(thing, value);
    else await this.orders.send({ do: 'declareNew', thing, value });
    return thing;
  }

  private async undeclare(thing: Thing) {
    this.declared.delete(thing.name);
    if (thing.kind === 'configMap') {
      rmSync(join(this.manifestFolder, `${thing.name}.yaml`));
      this.manifests.push({ name: thing.name, at: Date.now() });
    } else await this.orders.send({ do: 'undeclare', thing });
  }

  private nextValue(): number {
    this.lastValue += 1;
    return this.lastValue;
  }

  private writeManifest({ name }: Thing, value: number) {
    const file = join(this.manifestFolder, `${name}.yaml`);
    // JSON is YAML; never half a file
    writeFileSync(`${file}.new`, JSON.stringify(configMap(name, value)));
    renameSync(`${file}.new`, file);
    this.manifests.push({ name, at: Date.now(), value });
  }
}

export interface Chaos {
  crew: Crew;
  audit: Audit;
  random: Random;
  /** Milliseconds between two blows, on average. */
  everyMs: number;
  say(line: string): void;
}

/**
 * Kills, stops and shuts down replicas at random until `signal` ends, and brings back what it struck. One is always left awake.
 */
export async function strike(
  { crew, audit, random, everyMs, say }: Chaos,
  signal: AbortSignal,
): Promise<void> {
  const mending: Promise<void>[] = [];
  while (!signal.aborted) {
    await pause(everyMs * (0.5 + random.next()), undefined, { signal }).catch(
      () => undefined,
    );
    const awake = crew.awake();
    if (signal.aborted || awake.length < 2) continue;
    const wanted = random.weighted({ any: 2, busiest: 2, observer: 1 });
    const sought =
      wanted === 'any'
        ? undefined
        : crew.nameOf(
            await (wanted === 'busiest' ? audit.busiest() : audit.observer()),
          );
    const victim =
      sought !== undefined && awake.includes(sought)
        ? sought
        : random.pick(awake);
    const what = random.weighted({ kill: 5, stop: 4, shutDown: 1 });
    if (what === 'stop') {
      const ms = 5_000 + random.next() * 35_000;
      say(`SIGSTOP ${victim} for ${(ms / 1000).toFixed(0)} s`);
      mending.push(crew.stop(victim, ms));
      continue;
    }
    say(`${what === 'kill' ? 'SIGKILL' : 'SIGTERM'} ${victim}`);
    await (what === 'kill' ? crew.kill(victim) : crew.shutDown(victim));
    mending.push(crew.start(victim));
  }
  await Promise.all(mending);
}
