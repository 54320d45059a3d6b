/** Pages of a bulk read. */

export const PAGE = 3;
/** How far behind a replica that answers a bulk read may be. */
export const BEHIND_MS = 2_000;

/** Pages of a bulk read, all of one moment or each of its own. */
export class Pages<T> {
  private snapshot?: T[];

  constructor(
    private readonly read: () => T[],
    private readonly atOnce: boolean,
  ) {}

  /** A page, and one more where another page follows. */
  from(index: number): T[] {
    if (!this.snapshot || !this.atOnce) this.snapshot = this.read();
    return this.snapshot.slice(index, index + PAGE + 1);
  }
}
