/*
 * An answer that is kept for a while. Who asks while it is being read waits for that, and reads for himself only if the
 * answer is not good enough; nobody gets the failure of somebody else's read.
 */

/** A point in the order of what this process asks: no clock, so that two of them are never the same. */
export type Moment = number;

/** Before anything was asked: any answer is younger. */
export const ANY_TIME: Moment = 0;

/** Hands out moments. */
export class Moments {
  private last: Moment = ANY_TIME;

  next(): Moment {
    this.last += 1;
    return this.last;
  }
}

export interface Answer<T> {
  value: T;
  /** Before it was asked for. */
  asked: Moment;
  /** The same by the clock, in milliseconds. */
  askedAt: number;
}

export class Kept<T> {
  private answer: Answer<T> | undefined;
  private settled: Promise<void> | undefined;

  constructor(
    private readonly moments: Moments,
    private readonly now: () => number,
  ) {}

  /** The kept answer where it is good enough, a new one otherwise. Throws what `read` throws. */
  async get(
    isGood: (answer: Answer<T>) => boolean,
    read: () => Promise<T>,
  ): Promise<T> {
    if (this.settled && !this.good(isGood)) {
      await this.settled;
    }
    return (this.good(isGood) ?? (await this.read(read))).value;
  }

  forget(): void {
    this.answer = undefined;
  }

  private good(isGood: (answer: Answer<T>) => boolean): Answer<T> | undefined {
    return this.answer && isGood(this.answer) ? this.answer : undefined;
  }

  private async read(read: () => Promise<T>): Promise<Answer<T>> {
    const asked = { asked: this.moments.next(), askedAt: this.now() };
    const reading = read();
    // Its failure is thrown to the one who reads.
    const settled = reading.then(
      value => {
        this.answer = { ...asked, value };
      },
      () => {},
    );
    this.settled = settled;
    try {
      const value = await reading;
      await settled;
      return { ...asked, value };
    } finally {
      if (this.settled === settled) {
        this.settled = undefined;
      }
    }
  }
}
