/* Time, memory and tables. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

export interface Cost {
  /** Milliseconds of this process, its garbage collector included. */
  cpu: number;
  /** Milliseconds by the clock. */
  wall: number;
}

/** What one call costs; the garbage of whatever ran before is not its own. */
export async function costOf(run: () => Promise<unknown>): Promise<Cost> {
  collectGarbage();
  const cpu = process.cpuUsage();
  const from = performance.now();
  await run();
  const wall = performance.now() - from;
  const { user, system } = process.cpuUsage(cpu);
  return { cpu: (user + system) / 1000, wall };
}

/** Bytes in use when there is no garbage. */
export function heapUsed(): number {
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

export function medianCost(costs: Cost[]): Cost {
  return {
    cpu: median(costs.map(cost => cost.cpu)),
    wall: median(costs.map(cost => cost.wall)),
  };
}

export function say(text: string = ''): void {
  process.stdout.write(`${text}\n`);
}

export const met = (isMet: boolean) => (isMet ? 'met' : 'MISSED');

export const whole = (value: number) =>
  Math.round(value).toLocaleString('en-GB');
