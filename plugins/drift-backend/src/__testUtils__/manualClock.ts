/** A clock that tests turn by hand: nothing happens while nobody turns it. */
import type { Clock } from '../clock';

interface Sleeper {
  at: number;
  wake(): void;
}

export class ManualClock implements Clock {
  private sleepers: Sleeper[] = [];

  constructor(private time = 1_800_000_000_000) {}

  now(): number {
    return this.time;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || ms <= 0) return Promise.resolve();
    return new Promise(resolve => {
      const sleeper: Sleeper = {
        at: this.time + ms,
        wake: () => {
          this.sleepers = this.sleepers.filter(other => other !== sleeper);
          signal.removeEventListener('abort', sleeper.wake);
          resolve();
        },
      };
      signal.addEventListener('abort', sleeper.wake);
      this.sleepers.push(sleeper);
    });
  }

  /** Lets time pass and wakes whoever slept until then. */
  advance(ms: number): void {
    this.time += ms;
    for (const sleeper of this.sleepers.filter(one => one.at <= this.time)) {
      sleeper.wake();
    }
  }
}
