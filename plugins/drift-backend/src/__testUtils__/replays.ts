/** Every decision comes out the same when it is made again (rule 6). */
import type { Knex } from 'knex';
import { replayStored } from '../replay/replayStored';

/** @throws Error that shows the first that does not */
export async function mustReplay(knex: Knex): Promise<void> {
  for await (const replay of replayStored(knex)) {
    if (replay.outcome !== 'same') {
      throw new Error(
        `A stored decision does not replay: ${JSON.stringify(replay, null, 2)}`,
      );
    }
  }
}
