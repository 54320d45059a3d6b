/** The replicas: begun, killed, stopped and continued; and when each incarnation of each lived. */
import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Processes } from './processes';

export type End = 'killed' | 'handedOver' | 'stopped';

/** One process of a replica: its name stays, its instance ID is its own. */
export interface Incarnation {
  replica: string;
  instanceId: string;
  from: number;
  to?: number;
  end?: End;
  /** Times in which it stood still. */
  stops: { from: number; to?: number }[];
}

export interface Blow {
  what: End;
  replica: string;
  instanceId: string;
  at: number;
  /** When it went on; for a stop only. */
  until?: number;
}

interface Running {
  child: ChildProcess;
  incarnation: Incarnation;
}

export class Crew {
  readonly incarnations: Incarnation[] = [];
  readonly blows: Blow[] = [];
  /** Replicas that ended though nobody had ended them. */
  readonly deaths: string[] = [];
  private readonly running = new Map<string, Running>();

  constructor(
    private readonly processes: Processes,
    private readonly options: {
      folder: string;
      config(replica: string): unknown;
    },
  ) {}

  logOf(replica: string): string {
    return join(this.options.folder, `${replica}.log`);
  }

  /** Starts it and waits until it works. */
  async start(replica: string): Promise<void> {
    const { folder, config } = this.options;
    const configFile = join(folder, `${replica}.json`);
    writeFileSync(configFile, JSON.stringify(config(replica)));
    const from = Date.now();
    const child = this.processes.start(
      'replica.ts',
      [configFile],
      this.logOf(replica),
    );
    const instanceId = await new Promise<string>((resolve, reject) => {
      // a backend says other things, too, to whoever started it
      child.on('message', (message: { instanceId?: string }) => {
        if (message.instanceId) resolve(message.instanceId);
      });
      child.once('exit', code =>
        reject(
          new Error(
            `${replica} did not start (code ${code}): see ${this.logOf(
              replica,
            )}`,
          ),
        ),
      );
    });
    const incarnation: Incarnation = { replica, instanceId, from, stops: [] };
    this.incarnations.push(incarnation);
    this.running.set(replica, { child, incarnation });
    child.once('exit', (code, signal) => {
      incarnation.to = Date.now();
      if (this.running.get(replica)?.child === child) {
        this.running.delete(replica);
        if (!incarnation.end) {
          this.deaths.push(`${replica} ended by itself (${code ?? signal})`);
        }
      }
    });
  }

  /** Those that run and are not standing still. */
  awake(): string[] {
    return [...this.running.values()]
      .filter(({ incarnation }) => incarnation.end === undefined)
      .map(({ incarnation }) => incarnation.replica);
  }

  nameOf(instanceId: string | undefined): string | undefined {
    return this.incarnations.find(one => one.instanceId === instanceId)
      ?.replica;
  }

  /** SIGKILL: nothing is handed over. */
  async kill(replica: string): Promise<void> {
    await this.finish(replica, 'killed', 'SIGKILL');
  }

  /** SIGTERM: a clean shutdown. */
  async shutDown(replica: string): Promise<void> {
    await this.finish(replica, 'handedOver', 'SIGTERM');
  }

  /** SIGSTOP for so long, then SIGCONT. */
  async stop(replica: string, ms: number): Promise<void> {
    const running = this.running.get(replica);
    if (!running) return;
    const { child, incarnation } = running;
    const at = Date.now();
    const stop: Incarnation['stops'][number] = { from: at };
    incarnation.stops.push(stop);
    incarnation.end = 'stopped';
    const blow: Blow = {
      ...{ what: 'stopped', replica, at },
      instanceId: incarnation.instanceId,
    };
    this.blows.push(blow);
    child.kill('SIGSTOP');
    await pause(ms);
    stop.to = Date.now();
    blow.until = stop.to;
    incarnation.end = undefined;
    child.kill('SIGCONT');
  }

  private async finish(
    replica: string,
    what: End,
    signal: NodeJS.Signals,
  ): Promise<void> {
    const running = this.running.get(replica);
    if (!running) return;
    const { child, incarnation } = running;
    const gone = new Promise<void>(done => child.once('exit', () => done()));
    incarnation.end = what;
    this.blows.push({
      ...{ what, replica, at: Date.now() },
      instanceId: incarnation.instanceId,
    });
    child.kill(signal);
    await gone;
    this.running.delete(replica);
  }
}
