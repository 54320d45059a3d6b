/*
 * Writes to a cluster: server-side apply under our own field manager, conditional on the version that the plan was made
 * on, and explicit removal of what we no longer declare but others own as well.
 */
import {
  at,
  isObject,
  textAt,
  without,
} from '@plumbline/backstage-plugin-drift-node';
import type {
  RemovePlan,
  WritePlan,
  WriteReceipt,
} from '@plumbline/backstage-plugin-drift-node';
import {
  getAt,
  type Json,
  type JsonObject,
  parsePointer,
  type Pointer,
  removeAt,
  stringifyJson,
} from '@plumbline/drift-engine';
import type { Cluster } from '../cluster/cluster';
import { type ClusterRequest, describeRequest } from '../cluster/connection';
import { ClusterError, malformed, saysObjectIsAbsent } from '../cluster/errors';
import { isSensitive } from '../cluster/objects';
import { DECLARED_BY, FIELD_MANAGER } from '../constants';
import { describeObject, formatKey, type ObjectName } from '../gvk';
import { applyBody } from './applyBody';
import { jsonPatchPath } from './jsonPatch';

/** Controllers write status all the time: so often may the version move under a plan that is otherwise still right. */
const MAX_STATUS_RACES = 3;

interface Target {
  object: ObjectName;
  path: string;
  signal: AbortSignal;
  sensitive: boolean;
}

export class Writer {
  constructor(private readonly cluster: Cluster) {}

  async write(
    plan: WritePlan,
    object: ObjectName,
    signal: AbortSignal,
  ): Promise<WriteReceipt> {
    const target = await this.target(object, signal);
    refuseWhileDeleting(plan, this.cluster.name);
    const requests: string[] = [];
    const applied = await this.apply(plan, target, requests);
    const left = plan.removals.filter(
      pointer => getAt(applied, pointer) !== undefined,
    );
    const final =
      left.length > 0
        ? await this.removeFields(applied, left, target, requests)
        : applied;
    return {
      key: formatKey(object),
      id: textAt(final, 'metadata', 'uid') ?? '',
      version: textAt(final, 'metadata', 'resourceVersion'),
      requests,
    };
  }

  /** What the server says that the write would yield. */
  async dryRun(
    plan: WritePlan,
    object: ObjectName,
    signal: AbortSignal,
  ): Promise<{ document: Json } | { unavailable: string }> {
    const target = await this.target(object, signal);
    try {
      const body = this.body(plan, object, plan.live?.version);
      const applied = await this.send(plan, body, target, true);
      // The explicit removals of a real write come after it; a dry run leaves nothing to remove them from.
      return {
        document: plan.removals.reduce<Json>(
          (document, pointer) => removeAt(document, pointer),
          applied,
        ),
      };
    } catch (error) {
      const unavailable = whyUnavailable(error, this.cluster.name);
      if (unavailable) {
        return { unavailable };
      }
      throw error;
    }
  }

  async remove(
    plan: RemovePlan,
    object: ObjectName,
    signal: AbortSignal,
  ): Promise<void> {
    if (plan.live.controlled) {
      throw new ClusterError(
        'denied',
        `${describeObject(
          object,
        )} belongs to another object (ownerReferences): its owner deletes it, not we`,
        {},
      );
    }
    if (await this.cluster.isDeclared(object, signal)) {
      throw new ClusterError(
        'conflict',
        `${describeObject(
          object,
        )} is still declared, perhaps at another apiVersion: it is not deleted`,
        {},
      );
    }
    const { path } = await this.target(object, signal);
    try {
      await this.cluster.connection.send({
        method: 'DELETE',
        path,
        signal,
        priority: 'pass',
        sensitive: isSensitive(object.gvk),
        body: {
          apiVersion: 'v1',
          kind: 'DeleteOptions',
          propagationPolicy: 'Background',
          preconditions: {
            uid: plan.live.id,
            resourceVersion: plan.live.version,
          },
        },
      });
    } catch (error) {
      if (!saysObjectIsAbsent(error, object.name)) {
        throw error;
      }
    }
  }

  private async target(
    object: ObjectName,
    signal: AbortSignal,
  ): Promise<Target> {
    const { discovery, objects } = this.cluster;
    const served = await discovery.require(object.gvk, {
      signal,
      priority: 'pass',
    });
    return {
      object,
      path: objects.pathOf(object, served),
      signal,
      sensitive: isSensitive(object.gvk),
    };
  }

  private async apply(
    plan: WritePlan,
    target: Target,
    requests: string[],
  ): Promise<JsonObject> {
    let version = plan.live?.version;
    for (let race = 0; ; race++) {
      const body = this.body(plan, target.object, version);
      try {
        requests.push(
          `${describeRequest({ method: 'PATCH', path: target.path })} (apply)`,
        );
        return await this.send(plan, body, target, false);
      } catch (error) {
        const moved =
          error instanceof ClusterError &&
          error.status === 409 &&
          !error.managerConflict;
        if (!plan.live || !moved || race === MAX_STATUS_RACES) {
          throw error;
        }
        version = await this.versionIfOnlyStatusMoved(
          plan.live.document,
          target,
        );
        if (version === undefined) {
          throw error;
        }
      }
    }
  }

  /** The newest version, where nothing but status changed since the plan was made. */
  private async versionIfOnlyStatusMoved(
    planned: Json,
    target: Target,
  ): Promise<string | undefined> {
    const fresh = await this.cluster.objects.get(target.object, {
      signal: target.signal,
      priority: 'pass',
    });
    return fresh && sameButStatus(planned, fresh)
      ? textAt(fresh, 'metadata', 'resourceVersion')
      : undefined;
  }

  private async send(
    plan: WritePlan,
    body: JsonObject,
    target: Target,
    dryRun: boolean,
  ): Promise<JsonObject> {
    const { body: answer } = await this.cluster.connection.send({
      method: 'PATCH',
      path: target.path,
      query: {
        fieldManager: FIELD_MANAGER,
        // A create takes nothing from anybody: whoever was faster than we keeps what he set.
        force: plan.live ? 'true' : 'false',
        dryRun: dryRun ? 'All' : undefined,
      },
      contentType: 'application/apply-patch+yaml',
      body,
      signal: target.signal,
      priority: 'pass',
      sensitive: target.sensitive,
    });
    if (!isObject(answer) || !textAt(answer, 'metadata', 'uid')) {
      throw malformed(
        this.cluster.name,
        `PATCH ${target.path}`,
        'it is not the object',
      );
    }
    return answer;
  }

  private body(
    plan: WritePlan,
    object: ObjectName,
    version: string | undefined,
  ): JsonObject {
    const { declared } = plan;
    const document = applyBody(plan);
    const metadata: JsonObject = {
      ...(isObject(document.metadata) ? document.metadata : {}),
      name: object.name,
    };
    if (object.namespace) {
      metadata.namespace = object.namespace;
    }
    if (plan.live && version) {
      metadata.resourceVersion = version;
      // An apply creates what is not there. The identity makes that a conflict: what we planned on is gone.
      metadata.uid = plan.live.id;
    }
    if (declared.mark?.key === DECLARED_BY) {
      metadata.annotations = {
        ...(isObject(metadata.annotations) ? metadata.annotations : {}),
        [DECLARED_BY]: declared.mark.value,
      };
    }
    return {
      ...document,
      apiVersion: object.gvk.apiVersion,
      kind: object.gvk.kind,
      metadata,
    };
  }

  /** Fields that somebody else owns too outlive an apply that leaves them out, so they are removed by name. */
  private async removeFields(
    applied: JsonObject,
    pointers: Pointer[],
    target: Target,
    requests: string[],
  ): Promise<Json> {
    const paths = pointers
      .map(pointer => jsonPatchPath(applied, parsePointer(pointer)))
      .filter(path => path !== undefined)
      // Later list items first, so that earlier indexes stay right.
      .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
    const version = textAt(applied, 'metadata', 'resourceVersion') ?? '';
    requests.push(
      `${describeRequest({ method: 'PATCH', path: target.path })} (remove ${
        paths.length
      })`,
    );
    const patch: ClusterRequest = {
      method: 'PATCH',
      path: target.path,
      query: { fieldManager: FIELD_MANAGER },
      contentType: 'application/json-patch+json',
      body: [
        // Not a `test`, whose failure is a 422 like any other mistake: naming the version makes it a plain conflict.
        { op: 'replace', path: '/metadata/resourceVersion', value: version },
        ...paths.map(path => ({ op: 'remove', path })),
      ],
      signal: target.signal,
      priority: 'pass',
      sensitive: target.sensitive,
    };
    try {
      return (await this.cluster.connection.send(patch)).body;
    } catch (error) {
      throw afterAnEffect(error);
    }
  }
}

/** The first half of the write has taken effect, whatever became of the second. */
function afterAnEffect(error: unknown): unknown {
  if (!(error instanceof ClusterError)) {
    return error;
  }
  const { classification, message, status, retryAfterMs, reason, about } =
    error;
  return new ClusterError(classification, message, {
    status,
    retryAfterMs,
    reason,
    about,
    mayHaveTakenEffect: true,
  });
}

function refuseWhileDeleting(plan: WritePlan, cluster: string): void {
  if (at(plan.live?.document, 'metadata', 'deletionTimestamp')) {
    throw new ClusterError(
      'transient',
      `${plan.live?.key} is being deleted from cluster ${cluster}: it is looked at again when it is gone`,
      {},
    );
  }
}

function sameButStatus(a: Json, b: Json): boolean {
  const bare = (document: Json) => {
    if (!isObject(document)) {
      return document;
    }
    const metadata = isObject(document.metadata) ? document.metadata : {};
    return {
      ...without(document, ['status']),
      metadata: without(metadata, ['resourceVersion', 'managedFields']),
    };
  };
  return stringifyJson(bare(a)) === stringifyJson(bare(b));
}

function whyUnavailable(error: unknown, cluster: string): string | undefined {
  if (!(error instanceof ClusterError)) {
    return undefined;
  }
  if (error.status === 403) {
    return `our account may not patch this kind in cluster ${cluster}, so the server was not asked what it would make of it`;
  }
  const refusesDryRun =
    error.status === 400 && /dry[ -]?run/i.test(error.message);
  return refusesDryRun
    ? `a webhook of cluster ${cluster} does not support dry runs, so the server was not asked what it would make of it`
    : undefined;
}
