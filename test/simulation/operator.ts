/**
 * The controller beside us: it reconciles some of the custom resources by itself, looks whenever one of them changes and now and
 * then at all, and sees no edit of the live side before that. In some seeds it ends and never comes back.
 */
import type { JsonObject } from '@plumbline/drift-engine';
import {
  resourceKey,
  type ResourceRef,
} from '@plumbline/backstage-plugin-drift-common';
import type { Random } from './random';
import { RESOURCES } from './servers';
import type { Simulation } from './simulation';

const WHO = 'operator';

export class Operator {
  private readonly random: Random;
  private readonly letGoOf = new Set<string>();
  private readonly owned = new Map<string, ResourceRef>();

  constructor(private readonly sim: Simulation) {
    this.random = sim.random.fork(WHO);
    const { operated, takenOver } = sim.scenario;
    for (const ref of operated) this.owned.set(resourceKey(ref), ref);
    for (const ref of takenOver) this.letGo(ref);
  }

  owns(ref: ResourceRef): boolean {
    return this.owned.has(resourceKey(ref));
  }

  /** Policy or a person said that we write it ourselves. */
  isTakenOver(ref: ResourceRef): boolean {
    return this.letGoOf.has(resourceKey(ref));
  }

  letGo(ref: ResourceRef): void {
    this.letGoOf.add(resourceKey(ref));
  }

  begin(): void {
    const { sim, random } = this;
    if (!this.owned.size) return;
    sim.sources.get(RESOURCES)?.listeners.add(({ key }) => {
      const ref = this.owned.get(key);
      if (ref) this.soon(ref, random.int(100, 6_000));
    });
    const resync = () => {
      for (const ref of this.owned.values()) {
        this.soon(ref, random.int(100, 6_000));
      }
      sim.scheduler.after(1_000 * random.int(60, 240), resync);
    };
    resync();
  }

  private get works(): boolean {
    const { operatorEndsMs } = this.sim.scenario;
    return operatorEndsMs === undefined || this.sim.elapsed < operatorEndsMs;
  }

  private soon(ref: ResourceRef, ms: number): void {
    this.sim.scheduler.after(ms, () => this.reconcile(ref));
  }

  private reconcile(ref: ResourceRef): void {
    const { sim, random } = this;
    if (!this.works || this.isTakenOver(ref)) return;
    if (sim.faulty && random.chance(0.15)) {
      // it failed, and tries again
      this.soon(ref, 1_000 * random.int(3, 20));
      return;
    }
    const server = sim.platforms.get(ref.platform);
    const declared = sim.oracle.declaredNow(ref);
    const live = sim.oracle.liveNow(ref);
    if (!server) return;
    if (!declared) {
      const mark = sim.oracle.lastDeclared(ref)?.mark?.value;
      if (!live || live.mark !== mark) return;
      sim.say(WHO, `deletes ${live.key} (${ref.name})`);
      server.delete(live.key);
      return;
    }
    if (sim.oracle.isEqual(ref) && live?.mark === declared.mark?.value) return;
    const wanted = sim.oracle.wantedNow(ref) ?? {};
    if (isNowhere(wanted)) {
      // what it refers to is not there yet
      this.soon(ref, 1_000 * random.int(2, 8));
      return;
    }
    sim.say(
      WHO,
      `puts ${live?.key ?? ref.name} (${ref.name}): ${JSON.stringify(wanted)}`,
    );
    server.put(
      ref.kind,
      live?.id ?? declared.deterministicId ?? sim.serverIds.uuid(),
      { ...live?.document, ...wanted },
      { mark: declared.mark?.value, by: WHO },
    );
  }
}

function isNowhere({ service }: JsonObject): boolean {
  return (
    typeof service === 'object' &&
    service !== null &&
    'id' in service &&
    service.id === null
  );
}
