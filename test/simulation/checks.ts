/** All checks of one seed, by the moment at which they look. */
import { FinalChecks } from './finalChecks';
import { LandedChecks } from './landedChecks';
import { RecordChecks } from './recordChecks';
import { SentChecks } from './sentChecks';
import type { Simulation } from './simulation';

export interface Checks {
  sent: SentChecks;
  landed: LandedChecks;
  records: RecordChecks;
  final: FinalChecks;
}

export function makeChecks(sim: Simulation): Checks {
  return {
    sent: new SentChecks(sim),
    landed: new LandedChecks(sim),
    records: new RecordChecks(sim),
    final: new FinalChecks(sim),
  };
}
