/** The schema of each kind: the engine's table, with what this module adds, and the schemas of plugins from Konnect. */
import { textAt } from '@plumbline/backstage-plugin-drift-node';
import type { DeclaredResource } from '@plumbline/backstage-plugin-drift-node';
import {
  konnectSchema,
  type FieldSchema,
  type ResourceSchema,
} from '@plumbline/drift-engine';
import type { Entities } from './entities';
import type { Collection } from './kinds';
import { MARK_KEY } from './ownership';

/** The names of the groups that a consumer is in. */
const GROUPS: FieldSchema = {
  type: 'list',
  list: 'set',
  items: { type: 'string' },
  emptyIsAbsent: true,
};

/** How long a plugin's schema is believed. */
const PLUGIN_SCHEMA_TTL_MS = 60 * 60 * 1000;

/**
 * Hands out the same object for the same kind again and again: the engine compiles each schema object once.
 */
export class Schemas {
  readonly #entities: Entities;
  readonly #now: () => number;
  readonly #byKind = new Map<Collection, ResourceSchema>();
  readonly #byPlugin = new Map<
    string,
    { schema: ResourceSchema; readAt: number }
  >();

  constructor(entities: Entities, now: () => number) {
    this.#entities = entities;
    this.#now = now;
  }

  /** @throws PlatformError where the schema of a plugin could not be read */
  async get(
    collection: Collection,
    options: { signal: AbortSignal; declared?: DeclaredResource },
  ): Promise<ResourceSchema> {
    const plugin =
      collection === 'plugins'
        ? textAt(options.declared?.document, 'name')
        : undefined;
    return plugin
      ? this.#ofPlugin(plugin, options.signal)
      : this.#ofKind(collection);
  }

  #ofKind(collection: Collection): ResourceSchema {
    const known = this.#byKind.get(collection);
    if (known) {
      return known;
    }
    const schema = adapt(konnectSchema(collection));
    this.#byKind.set(collection, schema);
    return schema;
  }

  async #ofPlugin(name: string, signal: AbortSignal): Promise<ResourceSchema> {
    const known = this.#byPlugin.get(name);
    if (known && this.#now() - known.readAt < PLUGIN_SCHEMA_TTL_MS) {
      return known.schema;
    }
    const described = await this.#entities.pluginSchema(name, signal);
    const schema = described
      ? adapt(konnectSchema('plugins', described))
      : this.#ofKind('plugins');
    this.#byPlugin.set(name, { schema, readAt: this.#now() });
    return schema;
  }
}

/**
 * Adds what only this module knows. The ownership mark is judged by the marks of both sides and never as a field: an
 * entity that was made by hand and equals its declaration is in sync, although it bears no mark. Memberships are no
 * field of Konnect's consumer, but part of what a KongConsumer declares.
 */
function adapt(schema: ResourceSchema): ResourceSchema {
  const { tags, ...properties } = schema.root.properties ?? {};
  return {
    ...schema,
    root: {
      ...schema.root,
      properties: {
        ...properties,
        ...(tags && {
          tags: {
            ...tags,
            serverMembers: [...(tags.serverMembers ?? []), `${MARK_KEY}:`],
          },
        }),
        ...(schema.kind === 'consumers' && { groups: GROUPS }),
      },
    },
  };
}
