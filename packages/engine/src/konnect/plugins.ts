/*
 * Plugin configurations: from the answer of `schemas/plugins/{name}`, and what is known without it.
 */
import { FieldSchema, Json, JsonObject } from '../types';
import { isObject } from '../pointer';

/** Older names of configuration fields that several plugins share. */
export const PLUGIN_ALIASES: Record<string, string> = {
  whitelist: 'allow',
  blacklist: 'deny',
  ...Object.fromEntries(
    [
      'host',
      'port',
      'username',
      'password',
      'database',
      'timeout',
      'ssl',
      'ssl_verify',
      'server_name',
    ].map(name => [`redis_${name}`, `redis/${name}`]),
  ),
};

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
  const aliases: Record<string, string> = {};
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

/** The field that a deprecated shorthand stands for, where it is one and no more. */
function replacedBy(field: JsonObject): string | undefined {
  const deprecation = field.deprecation;
  const replaced = isObject(deprecation)
    ? deprecation.replaced_with
    : undefined;
  const [first, ...more] = Array.isArray(replaced) ? replaced : [];
  const path = isObject(first) ? first.path : undefined;
  const names = Array.isArray(path) ? path : [];
  return more.length === 0 &&
    names.length > 0 &&
    names.every(name => typeof name === 'string')
    ? names.join('/')
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
