/** A plugin of Konnect is declared by two custom resources: a KongPluginBinding says where, a KongPlugin says what. */
import {
  at,
  isObject,
  listAt,
  textAt,
  textsAt,
} from '@plumbline/backstage-plugin-drift-node';
import type { LiveReference } from '@plumbline/backstage-plugin-drift-node';
import type { ResourceRef } from '@plumbline/backstage-plugin-drift-common';
import type { Json, JsonObject, Problem } from '@plumbline/drift-engine';
import { kindOf, type Collection } from '../kinds';
import { dangling, type MapContext, type ObjectRef } from './lookup';

/** What of a declaration is more than its identity. */
export interface DeclaredBody {
  document: JsonObject;
  references: LiveReference[];
  parent?: ResourceRef;
  problems: Problem[];
  /** Other custom resources that the document was made from: a change of theirs is a change of the declaration. */
  madeFrom: Json[];
}

const GROUP = 'configuration.konghq.com';

/** The most particular first: whose entities a plugin inherits. */
const TARGETS: readonly { field: string; kind: Collection; name: string }[] = [
  { field: 'routeRef', kind: 'routes', name: 'route' },
  { field: 'serviceRef', kind: 'services', name: 'service' },
  { field: 'consumerRef', kind: 'consumers', name: 'consumer' },
  {
    field: 'consumerGroupRef',
    kind: 'consumer_groups',
    name: 'consumer_group',
  },
];

/** @param platform - id of the platform that the binding is for */
export async function pluginBody(
  binding: Json,
  platform: string,
  context: MapContext,
): Promise<DeclaredBody> {
  const what = await readPlugin(binding, context);
  const where = await readTargets(binding, platform, context);
  const tags = [
    ...textsAt(binding, 'spec', 'tags'),
    ...textsAt(what.plugin, 'tags'),
  ];
  return {
    document: {
      ...what.document,
      ...(tags.length > 0 && { tags: [...new Set(tags)] }),
    },
    references: where.references,
    parent: where.references[0]?.ref,
    problems: [...what.problems, ...where.problems],
    madeFrom: what.plugin === undefined ? [] : [what.plugin],
  };
}

async function readPlugin(
  binding: Json,
  context: MapContext,
): Promise<{ document: JsonObject; plugin?: Json; problems: Problem[] }> {
  const path = '/spec/pluginRef';
  const name = textAt(binding, 'spec', 'pluginRef', 'name');
  if (!name) {
    const problem = missing(
      path,
      'It names no plugin: set spec.pluginRef.name.',
    );
    return { document: {}, problems: [problem] };
  }
  const kind = textAt(binding, 'spec', 'pluginRef', 'kind') ?? 'KongPlugin';
  const namespace =
    textAt(binding, 'spec', 'pluginRef', 'namespace') ??
    textAt(binding, 'metadata', 'namespace');
  const ref: ObjectRef =
    kind === 'KongClusterPlugin'
      ? { group: GROUP, kind, name }
      : { group: GROUP, kind, namespace, name };
  const plugin = await context.lookup(ref);
  if (plugin === undefined) {
    return { document: {}, problems: [dangling(path, ref)] };
  }
  const pluginName = textAt(plugin, 'plugin');
  if (!pluginName) {
    const text = `The ${kind} ${name} names no plugin: set its field plugin.`;
    return { document: {}, plugin, problems: [missing(path, text)] };
  }
  const protocols = listAt(plugin, 'protocols');
  const document: JsonObject = {
    name: pluginName,
    // The custom resource has no third state: a plugin that is not disabled is declared to be enabled.
    enabled: at(plugin, 'disabled') !== true,
    ...(protocols.length > 0 && { protocols }),
  };
  for (const field of ['instance_name', 'ordering', 'config'] as const) {
    const value = at(plugin, field);
    if (value !== undefined && value !== '') {
      document[field] = value;
    }
  }
  return { document, plugin, problems: secretProblems(plugin, kind, name) };
}

/** Secrets are not read: what stands in them could not be told from other values afterwards, and would show. */
function secretProblems(plugin: Json, kind: string, name: string): Problem[] {
  const problem = (path: string, what: string): Problem => ({
    path,
    reason: 'SecretNotReadable',
    message: `${what} of the ${kind} ${name} stands in a Secret, which is not read. Declare it in config, with a reference {vault://…} for what is secret.`,
  });
  return [
    ...(isObject(at(plugin, 'configFrom'))
      ? [problem('/config', 'The configuration')]
      : []),
    ...listAt(plugin, 'configPatches').map(patch => {
      const path = textAt(patch, 'path') ?? '';
      return problem(`/config${path}`, `The value at ${path || '/'}`);
    }),
  ];
}

async function readTargets(
  binding: Json,
  platform: string,
  context: MapContext,
): Promise<{ references: LiveReference[]; problems: Problem[] }> {
  const references: LiveReference[] = [];
  const problems: Problem[] = [];
  const namespace = textAt(binding, 'metadata', 'namespace');
  const targets = at(binding, 'spec', 'targets');
  const scope = textAt(binding, 'spec', 'scope') ?? 'OnlyTargets';
  const named = TARGETS.filter(({ field }) => textAt(targets, field, 'name'));
  if (scope === 'OnlyTargets' && named.length === 0) {
    problems.push(
      missing(
        '/spec/targets',
        'It names no target: set one of spec.targets, or spec.scope to GlobalInControlPlane.',
      ),
    );
  }
  for (const { field, kind, name: property } of named) {
    const name = textAt(targets, field, 'name') ?? '';
    const { customResource } = kindOf(kind);
    const given = textAt(targets, field, 'kind') ?? customResource.kind;
    const path = `/spec/targets/${field}`;
    if (given !== customResource.kind) {
      problems.push({
        path,
        reason: 'UnsupportedReference',
        message: `It targets a ${given}, which is no entity of Konnect: target a ${customResource.kind}.`,
      });
      continue;
    }
    const ref = { group: GROUP, kind: given, namespace, name };
    if ((await context.lookup(ref)) === undefined) {
      problems.push(dangling(path, ref));
    }
    references.push({
      path: `/${property}/id`,
      ref: { platform, kind, ...(namespace && { namespace }), name },
    });
  }
  return { references, problems };
}

function missing(path: string, message: string): Problem {
  return { path, reason: 'MissingField', message };
}
