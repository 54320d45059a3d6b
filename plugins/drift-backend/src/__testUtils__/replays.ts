/** Decisions that do not come out the same when they are made again: there must be none (rule 6). */
import type { Knex } from 'knex';
import type { Replay } from '../replay/replay';
import { replayStored } from '../replay/replayStored';

export async function otherAnswers(knex: Knex): Promise<Replay[]> {
  const others: Replay[] = [];
  for await (const replay of replayStored(knex)) {
    if (replay.outcome !== 'same') others.push(replay);
  }
  return others;
}
