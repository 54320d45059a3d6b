/** The invariants, each under its name: what must hold at every write, at every record, and at the end. */
export const INVARIANTS = {
  'fresh-before-write':
    'both sides are read again right before a write, and the write is planned on what was read',
  'unseen-edit':
    'no live edit that was there at the last fresh read is overwritten unseen',
  'undeclared-reset': 'nothing that nobody declared is reset',
  'write-at-rest': 'nothing is written at rest, and no write changes nothing',
  'intent-first': 'the intention is stored before the write',
  'no-duplicate': 'nothing is created twice',
  'no-orphan': 'nothing of ours is left that nobody knows of',
  'created-on-doubt': 'nothing is created unless a fresh read found nothing',
  'deleted-on-doubt':
    'nothing is deleted without two complete listings and a fresh read without its declaration, and without our mark',
  'prune-bounds': 'never everything at once, and never many without a person',
  'forgotten-on-doubt': 'no resource is forgotten while a side of it is there',
  'verify-after-write': 'a write counts when a fresh read shows it',
  'complete-or-not-counted': 'a bulk read that was cut counts for nothing',
  'conflict-lost':
    'what a person must decide is asked, once, until it is decided',
  'conflict-overridden': 'nothing is written while a person is asked about it',
  seen: 'a choice counts for the state that the person saw',
  paused: 'a pause counts at the next write',
  'one-pass':
    'one pass of a resource writes at a time, under a lease that holds',
  operator:
    'what another controller reconciles is left to it unless somebody took it over: it is asked, and gets a resync to act before it is asked again',
  'retry-after': 'no request is sent while the platform asks for silence',
  'next-due': 'every resource has a next time, soon enough',
  'in-sync-is-true':
    'nothing is called in sync that was not equal within its staleness bound',
  replays: 'every stored decision can be computed again',
  converges:
    'once faults stop, everything is in sync or waits for a person, within a bounded number of passes',
  'person-decides': 'what waits for a person is settled by the answer',
  'loop-stands': 'the loop of every process goes on',
  'no-bug': 'no error of ours surfaces',
} as const;

export type Invariant = keyof typeof INVARIANTS;
