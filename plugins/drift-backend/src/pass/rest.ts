/** A pass that writes nothing ends here: in sync, waiting, held, or none of our business. */
import { firstHolding } from '../guards/guards';
import type { GuardAnswer } from '../store/rows';
import type { Assessment } from './assess';
import type { Observation } from './observe';
import { finish, type Pass, type PassResult } from './steps';

/** Nothing is written: in sync, waiting, held, or not our business. */
export async function rest(
  pass: Pass,
  observation: Observation,
  assessment: Assessment,
  guards?: GuardAnswer[],
): Promise<PassResult> {
  const held = guards && firstHolding(guards);
  return finish(
    pass,
    { observation, assessment, guards },
    {
      applied: false,
      message: held?.message ?? assessment.decision.message,
    },
  );
}
