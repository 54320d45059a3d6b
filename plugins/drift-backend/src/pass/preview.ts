/** A look ahead: what would be written if a person chose a side now. Writes nothing, anywhere. */
import { NotFoundError, ServiceUnavailableError } from '@backstage/errors';
import type { ApiPlan } from '@plumbline/backstage-plugin-drift-common';
import type { Platform } from '@plumbline/backstage-plugin-drift-node';
import {
  decide,
  overlay,
  type FieldChange,
  type Json,
} from '@plumbline/drift-engine';
import type { GuardAnswer, Millis, ResourceRow } from '../store/rows';
import {
  normaliseLive,
  seenOf,
  withKept,
  type Assessment,
  type Choice,
} from './assess';
import type { PassContext } from './context';
import { describeFailure, observe, type Observation } from './observe';
import { isWrite } from './decision';
import { keptOnceChosen } from './personal';
import { begin, guard, judge } from './steps';

/** What a pass would do if a person chose so now. Reads both sides and writes nothing, anywhere. */
async function previewPass(
  context: PassContext,
  row: ResourceRow,
  choice: Choice,
  signal: AbortSignal,
): Promise<
  | {
      ok: true;
      observation: Observation;
      assessment: Assessment;
      guards: GuardAnswer[];
      platform: Platform;
    }
  | { ok: false; message: string }
> {
  const observation = await observe(context, row, { signal });
  if (!observation.ok) return observation;
  const isReconcile = choice.side === 'declared';
  const pass = await begin(
    context,
    // never used: a preview stores nothing
    { resourceId: row.id, owner: context.owner, token: 0, until: 0 },
    {
      trigger: 'preview',
      priority: 'person',
      signal,
      ...(isReconcile
        ? { decision: { by: '', choice, seen: { declared: '', live: '' } } }
        : {}),
    },
    row,
  );
  const { platform } = pass;
  if (!platform)
    return { ok: false, message: `${row.ref.platform} is not configured` };
  const judged = judge(pass, observation);
  const assessment = isReconcile
    ? judged
    : onceKept(judged, choice, context.clock.now());
  const guards = isWrite(assessment.decision.action)
    ? await guard(pass, observation, assessment)
    : [];
  return { ok: true, observation, assessment, guards, platform };
}

// What the next pass finds: the fields stay by that word, and the policy says about the others.
function onceKept(
  judged: Assessment,
  { paths }: Choice,
  at: Millis,
): Assessment {
  const { chosen, kept } = keptOnceChosen(judged, paths, { by: '', at });
  if (chosen.length) return withKept(judged, kept);
  const { evaluation, inputs } = judged;
  return {
    ...judged,
    decision: decide({
      evaluation,
      policy: inputs.policy,
      choice: { side: 'live' },
    }),
  };
}

/**
 * @throws ServiceUnavailableError where a side cannot be read, NotFoundError where there is no such resource
 */
export async function preview(
  context: PassContext,
  resourceId: string,
  choice: Choice,
  signal: AbortSignal,
): Promise<ApiPlan> {
  const row = await context.store.getResource(resourceId);
  if (!row) {
    throw new NotFoundError(`There is no drift resource '${resourceId}'`);
  }
  const looked = await previewPass(context, row, choice, signal);
  if (!looked.ok) throw new ServiceUnavailableError(looked.message);
  const { observation, assessment, guards, platform } = looked;
  const { evaluation, decision, schema } = assessment;
  const chosen = new Map(
    evaluation.changes.map(change => [change.path, change] as const),
  );
  const writes = decision.fields.flatMap(path => {
    const change = chosen.get(path);
    return change ? [fieldWrite(change)] : [];
  });
  const plan: ApiPlan = {
    resourceId,
    verdict: evaluation.verdict,
    action: decision.action,
    rule: decision.rule,
    message: decision.message,
    seen: seenOf(assessment),
    writes,
    kept: decision.kept,
    guards,
    before: plain(assessment.live?.value ?? null),
    after: plain(assessment.live?.value ?? null),
  };
  const { declared, live } = observation;
  if (decision.action === 'delete') return { ...plan, after: null };
  if (
    !declared ||
    (decision.action !== 'create' && decision.action !== 'update')
  ) {
    return plan;
  }
  const removals = evaluation.changes
    .filter(
      change =>
        change.kind === 'leftover' && decision.fields.includes(change.path),
    )
    .map(change => change.path);
  const fields = decision.fields.filter(path => !removals.includes(path));
  const written = overlay({
    schema,
    live: live?.document ?? null,
    declared: declared.document,
    fields,
    removals,
  });
  const after = normaliseLive(context, schema, { document: written });
  const said = await platform
    .dryRun?.(
      {
        ref: row.ref,
        declared,
        live,
        fields,
        removals,
        kept: decision.kept,
        schema,
      },
      { signal },
    )
    .catch(error => ({ unavailable: describeFailure(error).message }));
  return {
    ...plan,
    after: plain(after.value),
    ...(said
      ? {
          platformDryRun:
            'unavailable' in said
              ? `The platform could not say: ${said.unavailable}`
              : agreesWith(context, schema, said.document, after.digest),
        }
      : {}),
  };
}

function agreesWith(
  context: PassContext,
  schema: Parameters<typeof normaliseLive>[1],
  document: Json,
  digest: string,
): string {
  return normaliseLive(context, schema, { document }).digest === digest
    ? 'The platform says that the write would yield exactly this.'
    : 'The platform says that the write would yield something else: it changes values of its own accord.';
}

function fieldWrite(change: FieldChange): ApiPlan['writes'][number] {
  return {
    path: change.path,
    operation: change.kind === 'leftover' ? 'remove' : 'set',
    ...(change.live === undefined ? {} : { from: plain(change.live) }),
    ...(change.declared === undefined ? {} : { to: plain(change.declared) }),
    ...(change.secret ? { secret: true } : {}),
  };
}

/** Integers beyond double precision as their digits: the API speaks plain JSON. */
function plain(value: Json): Exclude<Json, bigint> {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return value.map(plain);
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, plain(member)]),
    );
  }
  return value;
}
