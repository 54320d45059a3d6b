/** What both stand-ins saw, in one order: every write with who made it and what it changed, and every read of a replica. */
import { readFileSync } from 'node:fs';

export type Side = 'konnect' | 'kubernetes';

interface Entry {
  /** One counter for both stand-ins. */
  seq: number;
  /** Milliseconds since the epoch. */
  at: number;
  side: Side;
  /** A replica's name, or who else it was. */
  by: string;
}

export interface WriteEntry extends Entry {
  type: 'write';
  action: 'create' | 'update' | 'delete';
  /** `services`, `routes`, `configmaps`, `kongservices`, … */
  collection: string;
  /** By the ownership tag or the object's name. */
  name: string;
  id: string;
  before?: unknown;
  after?: unknown;
}

export interface ReadEntry extends Entry {
  type: 'read';
  /** Path and query. */
  path: string;
}

export type JournalEntry = WriteEntry | ReadEntry;

export function readJournal(file: string): JournalEntry[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as JournalEntry);
}

/** Everybody else is an editor. */
export function isReplica(by: string): boolean {
  return by.startsWith('replica-');
}
