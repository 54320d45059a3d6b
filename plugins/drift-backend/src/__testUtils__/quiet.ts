/** Tells when everything that was asked of a store has been answered, so that a test's clock does not outrun a database. */
import { setImmediate as turn } from 'node:timers/promises';

export class Quiet {
  private inFlight = 0;

  /** The same object, with its calls counted. */
  track<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (object, key, receiver) => {
        const member: unknown = Reflect.get(object, key, receiver);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) =>
          this.follow(Reflect.apply(member, object, args));
      },
    });
  }

  /** Resolves when nothing is being asked, and nobody goes on asking. */
  async settled(): Promise<void> {
    for (let still = 0; still < 4; still += 1) {
      await turn();
      if (this.inFlight > 0) still = -1;
    }
  }

  private follow(answer: unknown): unknown {
    if (answer instanceof Promise) {
      this.inFlight += 1;
      return answer.finally(() => {
        this.inFlight -= 1;
      });
    }
    if (isAsyncIterable(answer)) return this.followAll(answer);
    return answer;
  }

  private async *followAll(items: AsyncIterable<unknown>) {
    this.inFlight += 1;
    try {
      for await (const item of items) yield item;
    } finally {
      this.inFlight -= 1;
    }
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return (
    typeof value === 'object' && value !== null && Symbol.asyncIterator in value
  );
}
