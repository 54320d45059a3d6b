/** Virtual time: it goes on only when everybody waits, from one event to the next. */

interface Event {
  at: number;
  number: number;
  run: () => void | Promise<void>;
}

/** Any time will do, as long as it is the same in every run. */
export const START = 1_800_000_000_000;

export class Scheduler {
  now = START;
  private readonly heap: Event[] = [];
  private count = 0;

  /** Runs something at a time; what is due at the same time runs in the order in which it was asked for. */
  at(time: number, run: () => void | Promise<void>): void {
    this.count += 1;
    this.push({ at: Math.max(time, this.now), number: this.count, run });
  }

  after(ms: number, run: () => void | Promise<void>): void {
    this.at(this.now + ms, run);
  }

  /** Lets time pass until `end`, or until `stop` says so. */
  async run(end: number, stop: () => boolean): Promise<void> {
    for (;;) {
      const next = this.heap[0];
      if (!next || next.at > end || stop()) break;
      this.pop();
      this.now = next.at;
      await next.run();
      await everybodyWaits();
    }
    if (!stop()) this.now = Math.max(this.now, end);
  }

  private before(a: Event, b: Event): boolean {
    return a.at < b.at || (a.at === b.at && a.number < b.number);
  }

  private push(event: Event): void {
    const { heap } = this;
    let at = heap.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.before(heap[at], heap[parent])) break;
      [heap[at], heap[parent]] = [heap[parent], heap[at]];
      at = parent;
    }
  }

  private pop(): void {
    const { heap } = this;
    const last = heap.pop();
    if (!last || !heap.length) return;
    heap[0] = last;
    for (let at = 0; ; ) {
      const left = 2 * at + 1;
      let least = at;
      for (const child of [left, left + 1]) {
        if (child < heap.length && this.before(heap[child], heap[least])) {
          least = child;
        }
      }
      if (least === at) return;
      [heap[at], heap[least]] = [heap[least], heap[at]];
      at = least;
    }
  }
}

/** Promises that can go on have gone on: whatever waits now waits for an event of ours. */
function everybodyWaits(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}
