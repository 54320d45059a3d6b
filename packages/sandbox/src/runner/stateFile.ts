// Keeps a server's state in a file, so that a restart loses nothing.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { RequestHandler } from 'express';

/** How long after a write the file follows. */
const SAVE_AFTER_MS = 200;

/** One server's state file. */
export interface StateFile<Snapshot> {
  /** The saved state; undefined when there is no file. @throws Error that names the file and the remedy */
  load(): Snapshot | undefined;
  /** Says where the state comes from; nothing is saved before. */
  keep(snapshot: () => Snapshot): void;
  /** Writes the file now. */
  save(): void;
  /** Saves soon after every request that may have changed something. */
  middleware: RequestHandler;
  /** Saves what is due; for the end. */
  close(): void;
}

/** Keeps a server's state in `file`. The file is replaced as a whole: it is never half written. */
export function createStateFile<Snapshot>(file: string): StateFile<Snapshot> {
  let snapshot: (() => Snapshot) | undefined;
  let due: NodeJS.Timeout | undefined;
  const save = () => {
    clearTimeout(due);
    due = undefined;
    if (!snapshot) return;
    writeFileSync(`${file}.new`, JSON.stringify(snapshot()));
    renameSync(`${file}.new`, file);
  };
  return {
    load() {
      let text: string;
      try {
        text = readFileSync(file, 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT')
          return undefined;
        throw error;
      }
      try {
        return JSON.parse(text) as Snapshot;
      } catch (error) {
        throw new Error(
          `${file} cannot be read (${
            (error as Error).message
          }): delete it to start with the seed again`,
        );
      }
    },
    keep(source) {
      snapshot = source;
    },
    save,
    middleware(request, response, next) {
      if (request.method !== 'GET') {
        response.on('close', () => {
          due ??= setTimeout(save, SAVE_AFTER_MS);
        });
      }
      next();
    },
    close() {
      if (due) save();
    },
  };
}
