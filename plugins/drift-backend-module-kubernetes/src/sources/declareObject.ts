/* Applies one manifest to a cluster for somebody else's field manager, and tells whether that changed anything. */
import {
  isObject,
  PlatformError,
  textAt,
  without,
} from '@plumbline/backstage-plugin-drift-node';
import {
  type Json,
  type JsonObject,
  stringifyJson,
} from '@plumbline/drift-engine';
import type { Cluster } from '../cluster/cluster';
import { malformed } from '../cluster/errors';
import { isSensitive } from '../cluster/objects';
import type { Gvk } from '../gvk';

export interface DeclareResult {
  object: JsonObject;
  outcome: 'created' | 'configured' | 'unchanged';
}

export async function declareObject(
  cluster: Cluster,
  gvk: Gvk,
  manifest: Json,
  options: { signal: AbortSignal; dryRun: boolean; fieldManager: string },
): Promise<DeclareResult> {
  const request = { signal: options.signal, priority: 'person' } as const;
  const name = textAt(manifest, 'metadata', 'name');
  if (!isObject(manifest) || !name) {
    throw new PlatformError(
      'invalid',
      'the manifest has no metadata.name: give the resource a name',
    );
  }
  const target = {
    gvk,
    namespace: textAt(manifest, 'metadata', 'namespace'),
    name,
  };
  const served = await cluster.discovery.require(gvk, request);
  const path = cluster.objects.pathOf(target, served);
  const before = await cluster.objects.get(target, request);
  const { body } = await cluster.connection.send({
    method: 'PATCH',
    path,
    query: {
      fieldManager: options.fieldManager,
      dryRun: options.dryRun ? 'All' : undefined,
    },
    contentType: 'application/apply-patch+yaml',
    body: without(manifest, ['status']),
    sensitive: isSensitive(gvk),
    ...request,
  });
  if (!isObject(body) || textAt(body, 'metadata', 'name') !== name) {
    throw malformed(cluster.name, `PATCH ${path}`, 'it is not the object');
  }
  return { object: body, outcome: outcomeOf(before, body) };
}

/** Versions tell for a real apply; a dry run keeps the version, so the contents tell. */
function outcomeOf(
  before: JsonObject | undefined,
  after: JsonObject,
): DeclareResult['outcome'] {
  if (!before) {
    return 'created';
  }
  return stringifyJson(comparable(before)) === stringifyJson(comparable(after))
    ? 'unchanged'
    : 'configured';
}

function comparable(object: JsonObject): Json {
  const metadata = isObject(object.metadata) ? object.metadata : {};
  return {
    ...without(object, ['status']),
    // Taking a field over without changing it moves managedFields and the version, but declares nothing new.
    metadata: without(metadata, [
      'managedFields',
      'resourceVersion',
      'generation',
    ]),
  };
}
