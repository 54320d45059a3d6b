/* Write plans for tests, as the loop would make them. */
import { textAt } from '@plumbline/backstage-plugin-drift-node';
import type {
  DeclaredResource,
  LiveObject,
  WritePlan,
} from '@plumbline/backstage-plugin-drift-node';
import type {
  JsonObject,
  Pointer,
  ResourceSchema,
} from '@plumbline/drift-engine';
import { DECLARED_BY } from '../constants';
import { formatKind, gvkOf } from '../gvk';
import { nameLocator } from '../platform/live';

export function declaredFrom(
  platform: string,
  document: JsonObject,
): DeclaredResource {
  const gvk = gvkOf(document.apiVersion, document.kind);
  if (!gvk) {
    throw new Error('the test manifest has no kind');
  }
  const namespace = textAt(document, 'metadata', 'namespace');
  const name = textAt(document, 'metadata', 'name') ?? '';
  return {
    ref: { platform, kind: formatKind(gvk), namespace, name },
    document,
    version: '1',
    origin: {
      source: 'test',
      type: 'manifest',
      apiVersion: gvk.apiVersion,
      kind: gvk.kind,
      namespace,
      name,
    },
    locators: [nameLocator({ gvk, namespace, name })],
    mark: { key: DECLARED_BY, value: 'test' },
  };
}

export function planOf(
  declared: DeclaredResource,
  live: LiveObject | null,
  schema: ResourceSchema,
  changes: { fields?: Pointer[]; removals?: Pointer[]; kept?: Pointer[] } = {},
): WritePlan {
  return {
    ref: declared.ref,
    declared,
    live,
    schema,
    fields: changes.fields ?? [],
    removals: changes.removals ?? [],
    kept: changes.kept ?? [],
  };
}
