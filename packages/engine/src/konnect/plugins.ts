/*
 * Plugin configurations: from the answer of `schemas/plugins/{name}`, and what is known without it.
 */
import { Aliases, FieldSchema, Json, JsonObject } from '../types';
import { isObject } from '../pointer';
import { PLUGIN_ALIASES } from './aliases';

function list(raw: JsonObject, as: 'set' | 'atomic'): FieldSchema {
  const out: FieldSchema = { type: 'list', list: as, emptyIsAbsent: true };
  if (isObject(raw.elements)) {
    out.items = readField(raw.elements);
  }
  return out;
}

/** `fields: [{name: {…}}, …]`, as Kong writes records. */
function record(raw: JsonObject): FieldSchema {
  const properties: Record<string, FieldSchema> = {};
  const aliases: Aliases = {};
  const entries = (value: Json | undefined) =>
    (Array.isArray(value) ? value : []).flatMap(one =>
      isObject(one) ? Object.entries(one) : [],
    );
  for (const [name, field] of entries(raw.fields)) {
    if (isObject(field)) {
      properties[name] = readField(field);
    }
  }
  for (const [name, field] of entries(raw.shorthand_fields)) {
    const target = isObject(field) ? replacedBy(field) : undefined;
    if (target !== undefined) {
      aliases[name] = target;
    }
  }
  const out: FieldSchema = { type: 'object', properties, emptyIsAbsent: true };
  if (Object.keys(aliases).length > 0) {
    out.aliases = aliases;
  }
  return out;
}

/** The fields that a deprecated shorthand stands for; `undefined` where it does not say. */
function replacedBy(field: JsonObject): string[] | undefined {
  const deprecation = field.deprecation;
  const replaced = isObject(deprecation)
    ? deprecation.replaced_with
    : undefined;
  const names = (Array.isArray(replaced) ? replaced : []).map(one => {
    const path = isObject(one) ? one.path : undefined;
    return Array.isArray(path) && path.every(name => typeof name === 'string')
      ? path.join('/')
      : '';
  });
  return names.length > 0 && names.every(name => name !== '')
    ? names
    : undefined;
}

function readField(raw: JsonObject): FieldSchema {
  let out: FieldSchema;
  switch (raw.type) {
    case 'set':
      out = list(raw, 'set');
      break;
    case 'array':
      out = list(raw, 'atomic');
      break;
    case 'record':
      out = record(raw);
      break;
    case 'map':
      out = { type: 'map', emptyIsAbsent: true };
      if (isObject(raw.values)) {
        out.values = readField(raw.values);
      }
      break;
    case 'string':
      out = { type: 'string' };
      break;
    case 'integer':
    case 'number':
    case 'boolean':
      // A reference to a vault is a string, whatever the type.
      out = { type: raw.referenceable === true ? 'any' : raw.type };
      break;
    default:
      out = { type: 'any' };
  }
  if (raw.default !== undefined && raw.default !== null) {
    out.default = raw.default;
  }
  if (raw.encrypted === true) {
    out.secret = true;
  }
  return out;
}

/**
 * How a plugin's `config` is compared, from `schemas/plugins/{name}`; `undefined` where the answer does not say.
 */
export function pluginConfig(schema: JsonObject): FieldSchema | undefined {
  const fields = Array.isArray(schema.fields) ? schema.fields : [];
  for (const entry of fields) {
    if (isObject(entry) && isObject(entry.config)) {
      const config = record(entry.config);
      config.aliases = { ...PLUGIN_ALIASES, ...config.aliases };
      return config;
    }
  }
  return undefined;
}
