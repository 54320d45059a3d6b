/** Rules that people set in the portal: pauses, and taking over what another controller reconciles. */
import {
  resourceKey,
  type ResourceRef,
} from '@plumbline/backstage-plugin-drift-common';
import type { PolicyRuleRow } from './product';
import type { Random } from './random';
import type { Simulation } from './simulation';

const WHO = 'dora';

export class Rules {
  private readonly ids: Random;
  private pauses: {
    id: string;
    ref: ResourceRef;
    from: number;
    until: number;
  }[] = [];

  constructor(private readonly sim: Simulation) {
    this.ids = sim.random.fork('rules');
  }

  pause(ref: ResourceRef, ms: number): void {
    const { sim } = this;
    sim.say(WHO, `wants to pause ${ref.name} for ${ms} ms`);
    const until = sim.now + ms;
    this.add(ref, { settings: { paused: true }, until }, id => {
      this.pauses.push({ id, ref, from: sim.now, until });
    });
  }

  endPauses(): void {
    const { sim } = this;
    const ended = this.pauses;
    this.pauses = [];
    for (const { id, ref } of ended) {
      sim.scheduler.after(0, async () => {
        await sim.store.removeRule(id);
        sim.say(WHO, `ends the pause of ${ref.name}`);
        this.tell(ref);
      });
    }
  }

  /** From now on we write what another controller was to reconcile, and it does not any more. */
  takeOver(ref: ResourceRef): void {
    const { sim } = this;
    if (!sim.operator.owns(ref) || sim.operator.isTakenOver(ref)) return;
    sim.say(WHO, `takes ${ref.name} over from its controller`);
    sim.operator.letGo(ref);
    this.add(ref, { settings: { actuator: 'direct' } }, () => {});
  }

  /** How long a pause has been in force that every clock still sees. */
  pausedFor(ref: ResourceRef): number | undefined {
    const { sim } = this;
    const key = resourceKey(ref);
    const inForce = this.pauses.filter(
      pause =>
        resourceKey(pause.ref) === key && pause.until - sim.maxSkew > sim.now,
    );
    return inForce.length
      ? Math.max(...inForce.map(pause => sim.now - pause.from))
      : undefined;
  }

  private add(
    ref: ResourceRef,
    rule: Pick<PolicyRuleRow, 'settings'> & { until?: number },
    added: (id: string) => void,
  ): void {
    const { sim } = this;
    const id = this.ids.uuid();
    sim.scheduler.after(0, async () => {
      await sim.store.addRule({
        ...{ id, scope: scopeOf(ref), reason: 'work in progress' },
        ...{ by: `user:default/${WHO}`, createdAt: sim.now },
        ...rule,
      });
      sim.say(WHO, `has set a rule for ${ref.name}`);
      added(id);
      this.tell(ref);
    });
  }

  private tell(ref: ResourceRef): void {
    const { sim } = this;
    const worker = sim.processes.pick();
    if (worker) sim.act(WHO, worker.actions.policyChanged(scopeOf(ref)));
  }
}

function scopeOf({ platform, kind, namespace, name }: ResourceRef) {
  return { platform, kind, namespace: namespace ?? '', name };
}
