/** The processes of our backend: they start, die, are stopped for a while and are shut down, and others take their place. */
import type { Simulation } from './simulation';
import { Worker } from './worker';

export class Processes {
  readonly living: Worker[] = [];
  deaths = 0;
  private generation = 0;

  constructor(private readonly sim: Simulation) {}

  /** Starts them, not all at the same time. */
  begin(): void {
    const { sim } = this;
    for (let i = 0; i < sim.scenario.workers; i++) {
      sim.scheduler.after(sim.latency.int(0, 3_000), () => this.start());
    }
  }

  /** Nothing of them goes on. */
  end(): void {
    for (const worker of this.living) worker.alive = false;
  }

  /** One that answers requests. */
  pick(): Worker | undefined {
    const able = this.living.filter(worker => worker.alive && !worker.stopping);
    return able.length ? this.sim.random.pick(able) : undefined;
  }

  died(worker: Worker): void {
    this.deaths += 1;
    this.replace(worker, this.sim.latency.int(500, 20_000));
  }

  /** A process is stopped by the system and goes on later, as if nothing had happened. */
  stopOne(ms: number): void {
    const worker = this.pick();
    if (!worker) return;
    worker.pausedUntil = Math.max(worker.pausedUntil, this.sim.now + ms);
    worker.say(`is stopped for ${ms} ms`);
  }

  /** A process is shut down in good order. */
  shutDownOne(): void {
    const worker = this.pick();
    if (!worker) return;
    worker.stopping = true;
    worker.say('is shut down');
    worker.loop.stop().then(
      () => {
        if (!worker.alive) return;
        worker.say('has handed over');
        worker.alive = false;
        this.replace(worker, 1_000);
      },
      error => {
        worker.say(`could not be shut down: ${String(error)}`);
        worker.crash('at shutdown');
      },
    );
  }

  private replace(worker: Worker, ms: number): void {
    this.living.splice(this.living.indexOf(worker), 1);
    this.sim.scheduler.after(ms, () => this.start());
  }

  private start(): void {
    this.generation += 1;
    const { sim } = this;
    const { random, scenario } = sim;
    const crashes =
      sim.faulty && this.deaths < scenario.crashes && random.chance(0.8);
    const only = random.chance(0.6) ? 'writes' : 'any';
    const worker = new Worker(
      sim,
      `p${this.generation}`,
      random.int(-sim.maxSkew, sim.maxSkew),
      {
        atStep: crashes
          ? random.int(1, only === 'writes' ? 25 : 700)
          : Infinity,
        when: random.pick(['before', 'after', 'stopped']),
        only,
        stopMs: 1_000 * random.int(25, 60),
      },
    );
    this.living.push(worker);
    worker.say('starts');
    worker.loop.start();
  }
}
