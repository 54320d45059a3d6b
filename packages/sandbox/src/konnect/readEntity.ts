// From a client's input to the entity that is stored: shorthands, fields, plugin configuration, rules.
import { ErrorDetail, fieldProblem, validationError } from './errors';
import { readFields } from './fields';
import { isObject, JsonObject } from './json';
import { Collection, KINDS } from './kinds';
import { checkPluginConfig, PLUGIN_SCHEMAS } from './pluginSchemas';

/** Checks an input by its kind and fills the defaults. @throws KonnectAnswer 400 with every problem */
export function readEntity(
  collection: Collection,
  raw: JsonObject,
): JsonObject {
  const kind = KINDS[collection];
  const { input, problems } = kind.expand?.(raw) ?? {
    input: raw,
    problems: [],
  };
  const reading = readFields(kind.fields(input), input, 'omit');
  const all: ErrorDetail[] = [...problems, ...reading.problems];
  const value = reading.value;
  if (collection === 'plugins') {
    const { config, problems: wrong } = readPluginConfig(value);
    value.config = config;
    all.push(...wrong);
  }
  if (all.length === 0) all.push(...(kind.check?.(value) ?? []));
  if (all.length > 0) throw validationError(all);
  return { ...value, ...kind.derive?.(value) };
}

function readPluginConfig(plugin: JsonObject): {
  config: JsonObject;
  problems: ErrorDetail[];
} {
  const given = isObject(plugin.config) ? plugin.config : {};
  if (typeof plugin.name !== 'string') return { config: given, problems: [] };
  const schema = Object.hasOwn(PLUGIN_SCHEMAS, plugin.name)
    ? PLUGIN_SCHEMAS[plugin.name]
    : undefined;
  if (!schema) {
    return {
      config: given,
      problems: [fieldProblem('name', `plugin '${plugin.name}' not found`)],
    };
  }
  const reading = readFields(schema.config, given, 'null', 'config');
  const rules =
    reading.problems.length > 0 ? [] : checkPluginConfig(schema, reading.value);
  return { config: reading.value, problems: [...reading.problems, ...rules] };
}
