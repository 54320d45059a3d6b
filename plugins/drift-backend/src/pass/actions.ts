/** What people can do to a resource: each is one whole pass under its lease, ahead of the queue. */
import {
  ConflictError,
  InputError,
  NotFoundError,
  ServiceUnavailableError,
} from '@backstage/errors';
import { parseEntityRef } from '@backstage/catalog-model';
import type { Json, JsonObject } from '@plumbline/drift-engine';
import { isPlatformError } from '@plumbline/backstage-plugin-drift-node';
import type { ActionOutcome, Actor, DriftActions } from '../actions';
import { withPriority } from '../loop/priority';
import type { ResourceLease } from '../store/driftStore';
import { OUR_MANAGER, type PassContext } from './context';
import { preview } from './preview';
import { runPass } from './runPass';
import type { PassResult, PersonalDecision } from './steps';

const LEASE_MS = 30_000;
/** A pass that holds the resource is waited for so long. */
const PATIENCE_MS = 10_000;
const RETRY_MS = 100;
const KUBERNETES_ID = 'backstage.io/kubernetes-id';

export interface ActionHooks {
  /** Passes are due: somebody should look. */
  due(): void;
  /** A pass left the row like this. */
  passed(result: PassResult): void;
  /** Declarations changed: the source should be listed soon. */
  listSoon(source: string): void;
}

export function createActions(
  context: PassContext,
  hooks: ActionHooks,
  options: { signal: AbortSignal },
): DriftActions {
  const { store, clock, owner, platforms, sources } = context;
  const { signal } = options;

  async function lease(resourceId: string): Promise<ResourceLease> {
    const giveUpAt = clock.now() + PATIENCE_MS;
    for (;;) {
      if (!(await store.getResource(resourceId))) {
        throw new NotFoundError(`There is no drift resource '${resourceId}'`);
      }
      const taken = await store.leaseOne(resourceId, {
        owner,
        now: clock.now(),
        leaseMs: LEASE_MS,
      });
      if (taken) return taken;
      if (clock.now() >= giveUpAt || signal.aborted) {
        throw new ConflictError(
          'Another pass is at work on this resource; try again in a moment',
        );
      }
      await clock.sleep(RETRY_MS, signal);
    }
  }

  async function pass(
    resourceId: string,
    actor: Actor,
    trigger: string,
    decision?: PersonalDecision,
  ): Promise<PassResult> {
    const taken = await lease(resourceId);
    try {
      const result = await runPass(context, taken, {
        trigger,
        by: actor.ref,
        priority: 'person',
        decision,
        signal,
      });
      hooks.passed(result);
      hooks.due();
      return result;
    } catch (error) {
      await store.releaseLease(taken);
      throw error;
    }
  }

  async function decide(
    resourceId: string,
    actor: Actor,
    trigger: string,
    decision: PersonalDecision,
  ): Promise<ActionOutcome> {
    const result = await pass(resourceId, actor, trigger, decision);
    if (result.moved) throw new ConflictError(result.message);
    if (result.unreadable && !result.applied) {
      throw new ServiceUnavailableError(
        `Nothing was written. ${result.message}`,
      );
    }
    return { applied: result.applied, message: result.message };
  }

  return {
    async check(resourceId, actor) {
      const result = await pass(resourceId, actor, 'check');
      if (result.unreadable) throw new ServiceUnavailableError(result.message);
    },

    async preview(resourceId, choice) {
      return withPriority('person', async () =>
        preview(context, resourceId, choice, signal),
      );
    },

    async reconcile(resourceId, { seen, paths, note }, actor) {
      return decide(resourceId, actor, 'reconcile', {
        by: actor.ref,
        choice: { side: 'declared', ...(paths ? { paths } : {}) },
        seen,
        note,
      });
    },

    async keepLive(resourceId, { seen, paths, note }, actor) {
      return decide(resourceId, actor, 'keepLive', {
        by: actor.ref,
        choice: { side: 'live', ...(paths ? { paths } : {}) },
        seen,
        note,
      });
    },

    async resolve(conflictId, { choice, seen, note }, actor) {
      const conflict = await store.getConflict(conflictId);
      if (!conflict) {
        throw new NotFoundError(`There is no conflict '${conflictId}'`);
      }
      if (conflict.status !== 'open') {
        throw new ConflictError(
          `This question is ${conflict.status} already${
            conflict.outcome ? `: ${conflict.outcome}` : ''
          }`,
        );
      }
      if (!conflict.answers.some(answer => answer.choice === choice)) {
        throw new InputError(
          `"${choice}" is no answer to this question; choose ${conflict.answers
            .map(answer => answer.choice)
            .join(' or ')}`,
        );
      }
      if (
        conflict.seen.declared !== seen.declared ||
        conflict.seen.live !== seen.live
      ) {
        throw new ConflictError(
          'Nothing was done: the question is about another state by now. Look at it again.',
        );
      }
      const row = await store.getResource(conflict.resourceId);
      const paths = conflict.fields.map(field => field.path);
      const differing = row?.evaluation?.changes.length ?? 0;
      return decide(conflict.resourceId, actor, 'resolve', {
        by: actor.ref,
        // what somebody keeps was not asked about
        choice: {
          side: choice,
          ...(paths.length && paths.length < differing ? { paths } : {}),
        },
        seen,
        note,
        conflictId,
      });
    },

    async apply({ source: sourceId, manifest, entityRef, dryRun }) {
      const source = sources.get(sourceId);
      if (!source) {
        throw new InputError(
          `There is no declaration source "${sourceId}"; there are ${
            [...sources.keys()].join(', ') || 'none'
          }`,
        );
      }
      if (!source.apply) {
        throw new InputError(
          `Nothing can be declared at ${source.title}; choose a source that takes manifests`,
        );
      }
      const applied = await withPriority('person', async () =>
        source.apply!(labelled(manifest, entityRef), {
          signal,
          dryRun,
          fieldManager: OUR_MANAGER,
        }),
      ).catch(error => {
        throw asHttpError(error);
      });
      const resources = [];
      for (const ref of applied.refs) {
        const row = await store.getResourceByRef(ref);
        if (row && !dryRun) {
          await store.bringForward([row.id], {
            dueAt: clock.now(),
            dirty: true,
          });
        }
        resources.push({ ref, ...(row ? { id: row.id } : {}) });
      }
      if (!dryRun) {
        hooks.listSoon(sourceId);
        hooks.due();
      }
      return { outcome: applied.outcome, version: applied.version, resources };
    },

    link(platformId, live) {
      return platforms.get(platformId)?.link?.(live);
    },

    async policyChanged(scope) {
      const now = clock.now();
      for (const platformId of scope.platform
        ? [scope.platform]
        : platforms.keys()) {
        const ids: string[] = [];
        for await (const identity of store.listIdentities(platformId)) {
          const { ref } = identity;
          const inScope =
            (scope.kind === undefined || scope.kind === ref.kind) &&
            (scope.namespace === undefined ||
              scope.namespace === (ref.namespace ?? '')) &&
            (scope.name === undefined || scope.name === ref.name);
          if (inScope) ids.push(identity.id);
        }
        // not dirty: what is known of both sides still holds
        await store.bringForward(ids, { dueAt: now, dirty: false });
      }
      hooks.due();
    },
  };
}

/** Links a manifest to its entity, as the Kubernetes plugin's conventions say; a label that is there stays. */
function labelled(manifest: Json, entityRef: string | undefined): Json {
  if (entityRef === undefined) return manifest;
  if (!isObject(manifest)) {
    throw new InputError(
      'The manifest must be an object with apiVersion and kind',
    );
  }
  const { name } = parseEntityRef(entityRef, { defaultKind: 'component' });
  const metadata = isObject(manifest.metadata) ? manifest.metadata : {};
  const labels = isObject(metadata.labels) ? metadata.labels : {};
  return {
    ...manifest,
    metadata: { ...metadata, labels: { [KUBERNETES_ID]: name, ...labels } },
  };
}

function isObject(value: Json | undefined): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function asHttpError(error: unknown): Error {
  if (!isPlatformError(error)) {
    return error instanceof Error ? error : new Error(String(error));
  }
  switch (error.classification) {
    case 'invalid':
    case 'denied':
      return new InputError(error.message);
    case 'conflict':
      return new ConflictError(error.message);
    default:
      return new ServiceUnavailableError(error.message);
  }
}
