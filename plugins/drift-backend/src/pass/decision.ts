/** The stored decision: what state it believed it had to restore, and why (rule 6). */
import type { Action } from '@plumbline/drift-engine';
import type { DecisionRow, GuardAnswer, Millis } from '../store/rows';
import type { Assessment } from './assess';
import type { Observation } from './observe';
import { ENGINE_VERSION } from './version';

const WRITES: ReadonlySet<Action> = new Set([
  'create',
  'update',
  'delete',
  'nudge',
]);

export function isWrite(action: Action): boolean {
  return WRITES.has(action);
}

/** The stored answer to "what exact state did it believe it had to restore, and why?" */
export function makeDecision(options: {
  id: string;
  resourceId: string;
  trigger: string;
  by?: string;
  observation: Observation;
  assessment: Assessment;
  guards: GuardAnswer[];
  now: Millis;
}): DecisionRow {
  const { assessment, observation } = options;
  const { evaluation, decision } = assessment;
  return {
    id: options.id,
    resourceId: options.resourceId,
    at: options.now,
    trigger: options.trigger,
    by: options.by,
    verdict: evaluation.verdict,
    reason: evaluation.reason,
    rule: decision.rule,
    action: decision.action,
    message: decision.message,
    declaredVersion: observation.declared?.version,
    declaredDigest: assessment.declared?.digest,
    liveVersion: observation.live?.version,
    liveDigest: assessment.live?.digest,
    plan: planLines(assessment),
    guards: options.guards,
    engineVersion: ENGINE_VERSION,
    inputs: assessment.inputs,
    schema: assessment.schema,
  };
}

/** The plan in words: `set /retries`, `remove /tags`, `create`. */
export function planLines(
  assessment: Pick<Assessment, 'decision' | 'evaluation'>,
): string[] {
  const { decision, evaluation } = assessment;
  const leftovers = new Set(
    evaluation.changes
      .filter(change => change.kind === 'leftover')
      .map(change => change.path),
  );
  switch (decision.action) {
    case 'create':
    case 'delete':
    case 'nudge':
      return [decision.action];
    default:
      return decision.fields.map(path =>
        leftovers.has(path) ? `remove ${path}` : `set ${path}`,
      );
  }
}
