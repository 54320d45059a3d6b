// What was changed in the stand-in, by whom and when: the last thousand changes.
import { JsonObject } from './json';

/** One change. `before` and `after` are whole entities. */
export interface JournalEntry {
  sequence: number;
  /** ISO 8601. */
  at: string;
  /** The principal of the token, or who used the store without HTTP. */
  by: string;
  action: 'create' | 'update' | 'delete';
  controlPlane: string;
  collection: string;
  id: string;
  before?: JsonObject;
  after?: JsonObject;
}

const KEPT = 1000;

/** The journal; the oldest entries fall out. */
export class Journal {
  #entries: JournalEntry[] = [];
  #sequence = 0;

  constructor(private readonly now: () => number) {}

  add(entry: Omit<JournalEntry, 'at' | 'sequence'>): void {
    this.#sequence += 1;
    this.#entries.push({
      sequence: this.#sequence,
      at: new Date(this.now()).toISOString(),
      ...entry,
    });
    // In blocks, since moving a thousand entries on each write would be the dearest part of it.
    if (this.#entries.length > KEPT * 2) {
      this.#entries = this.#entries.slice(-KEPT);
    }
  }

  /** Newest last. `since` is exclusive. */
  entries(since = 0): JournalEntry[] {
    return this.#entries
      .slice(-KEPT)
      .filter(({ sequence }) => sequence > since);
  }

  restore(entries: JournalEntry[]): void {
    this.#entries = entries;
    this.#sequence = entries.at(-1)?.sequence ?? 0;
  }
}
