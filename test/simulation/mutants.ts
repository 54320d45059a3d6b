/**
 * Deliberate breaks of the rules. The simulation must catch every one, or it could not be trusted to find what nobody broke on
 * purpose.
 */
import type { Mutant } from './mutant';
import { MUTANTS_OF_READS } from './mutantsOfReads';
import { MUTANTS_OF_RECORDS } from './mutantsOfRecords';

export const MUTANTS: readonly Mutant[] = [
  ...MUTANTS_OF_READS,
  ...MUTANTS_OF_RECORDS,
];
