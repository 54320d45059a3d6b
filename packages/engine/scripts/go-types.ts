/*
 * Reads the Go types of a `k8s.io/api` checkout: what a server's OpenAPI document of one version does not say.
 * Newer kinds and fields, and where nothing and a zero value are the same because the Go type is no pointer.
 */
import { readdirSync, readFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { FieldSchema } from '../src/types';
import { Definitions } from '../src/kubernetes/openapi';

interface Field {
  name: string;
  type: string;
  inline: boolean;
  markers: string[];
  tag: string;
}

interface Type {
  markers: string[];
  /** `type X string`, `type X map[…]…` */
  alias?: string;
  fields: Field[];
}

const IMPORT = /^\s*(\w+)?\s*"k8s\.io\/api\/(\w+)\/(\w+)"$/gm;

const FIELD = /^\s*(?:(\w+)\s+)?(\*?[\w.[\]*]+)\s+`([^`]*)`/;

function readFile(text: string): Map<string, Type> {
  const types = new Map<string, Type>();
  let markers: string[] = [];
  let open: Type | undefined;
  for (const line of text.split('\n')) {
    const comment = /^\s*\/\/\s*(.*)$/.exec(line);
    if (comment) {
      if (comment[1].startsWith('+')) markers.push(comment[1]);
      continue;
    }
    const struct = /^type (\w+) struct \{(\})?/.exec(line);
    const alias = /^type (\w+)(?: =)? ([\w.[\]*]+)\s*$/.exec(line);
    if (struct) {
      open = { markers, fields: [] };
      types.set(struct[1], open);
      if (struct[2]) open = undefined;
    } else if (alias) {
      types.set(alias[1], { markers, alias: alias[2], fields: [] });
    } else if (/^\}/.test(line)) {
      open = undefined;
    } else if (open) {
      const field = FIELD.exec(line);
      const json = field && /json:"([^"]*)"/.exec(field[3]);
      if (field && json) {
        const [name, ...options] = json[1].split(',');
        if (name !== '-') {
          open.fields.push({
            name,
            type: field[2],
            inline: options.includes('inline') || name === '',
            markers,
            tag: field[3],
          });
        }
      }
    }
    if (line.trim() !== '' || !open) markers = [];
  }
  return types;
}

const marker = (markers: string[], name: string) =>
  markers
    .filter(one => one.startsWith(`+${name}=`))
    .map(one => one.slice(name.length + 2));

const SCALARS: Record<string, FieldSchema['type']> = {
  string: 'string',
  bool: 'boolean',
  int: 'integer',
  int32: 'integer',
  int64: 'integer',
  uint32: 'integer',
  uint64: 'integer',
  float64: 'number',
  'metav1.Time': 'string',
  'metav1.MicroTime': 'string',
  'metav1.Duration': 'duration',
  'resource.Quantity': 'quantity',
  'intstr.IntOrString': 'intOrString',
  'runtime.RawExtension': 'any',
  'types.UID': 'string',
  'types.NodeName': 'string',
  'metav1.StatusReason': 'string',
};

/** Reads every `types.go` under a checkout of k8s.io/api. */
export function readGoTypes(folder: string): Definitions {
  const packages = new Map<string, Map<string, Type>>();
  const groups = new Map<string, string>();
  /** Per package: the name under which it imports another one. */
  const imports = new Map<string, Map<string, string>>();
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const group = entry.name;
    if (!entry.isDirectory() || !/^\w+$/.test(group)) continue;
    for (const version of readdirSync(join(folder, group))) {
      const file = join(folder, group, version, 'types.go');
      if (/^v\d/.test(version) && existsSync(file)) {
        const text = readFileSync(file, 'utf8');
        packages.set(`${group}.${version}`, readFile(text));
        imports.set(
          `${group}.${version}`,
          new Map(
            [...text.matchAll(IMPORT)].map(match => [
              match[1] ?? match[3],
              `${match[2]}.${match[3]}`,
            ]),
          ),
        );
        const register = readFileSync(
          join(folder, group, version, 'register.go'),
          'utf8',
        );
        groups.set(
          `${group}.${version}`,
          /GroupName\s*=\s*"([^"]*)"/.exec(register)?.[1] ?? '',
        );
      }
    }
  }

  const named = (
    home: string,
    type: string,
  ): { home: string; type?: Type; name: string } => {
    const [first, second] = type.split('.');
    if (second === undefined) {
      return {
        home,
        type: packages.get(home)?.get(first),
        name: `${home}.${first}`,
      };
    }
    if (first === 'metav1') {
      return { home: 'meta.v1', name: `meta.v1.${second}` };
    }
    const at = imports.get(home)?.get(first) ?? home;
    return {
      home: at,
      type: packages.get(at)?.get(second),
      name: `${at}.${second}`,
    };
  };

  const read = (home: string, type: string, field?: Field): FieldSchema => {
    const bare = type.replace(/^\*/, '');
    if (bare === '[]byte') {
      return { type: 'string' };
    }
    if (SCALARS[bare]) {
      return { type: SCALARS[bare] };
    }
    if (bare.startsWith('[]')) {
      const out: FieldSchema = {
        type: 'list',
        list: 'atomic',
        emptyIsAbsent: true,
      };
      out.items = read(home, bare.slice(2));
      const listType = marker(field?.markers ?? [], 'listType')[0];
      const keys = marker(field?.markers ?? [], 'listMapKey');
      const mergeKey = /patchMergeKey:"([^"]+)"/.exec(field?.tag ?? '')?.[1];
      const merges = /patchStrategy:"[^"]*merge/.test(field?.tag ?? '');
      if (listType === 'map' || (!listType && merges && mergeKey)) {
        out.list = 'map';
        out.keys = keys.length > 0 ? keys : [mergeKey!];
      } else if (listType === 'set' || (!listType && merges)) {
        out.list = 'set';
        out.open = true;
      }
      return out;
    }
    const map = /^map\[[\w.]+\](.+)$/.exec(bare);
    if (map) {
      const out: FieldSchema = {
        type: 'map',
        values: read(home, map[1]),
        emptyIsAbsent: true,
      };
      if (field && marker(field.markers, 'mapType')[0] === 'atomic') {
        out.atomic = true;
      }
      return out;
    }
    const target = named(home, bare);
    if (target.type?.alias) {
      return read(target.home, target.type.alias, field);
    }
    return { ref: target.name };
  };

  const definitions: Record<string, FieldSchema> = {};
  const kinds: Record<string, string> = {};

  const properties = (
    home: string,
    type: Type,
  ): Record<string, FieldSchema> => {
    const out: Record<string, FieldSchema> = {};
    for (const field of type.fields) {
      if (field.type === 'metav1.TypeMeta') {
        out.apiVersion = { type: 'string' };
        out.kind = { type: 'string' };
      } else if (field.inline) {
        let target = named(home, field.type.replace(/^\*/, ''));
        while (target.type?.alias) {
          target = named(target.home, target.type.alias);
        }
        if (target.type) {
          Object.assign(out, properties(target.home, target.type));
        }
      } else {
        const schema = read(home, field.type, field);
        const scalar = ['string', 'boolean', 'integer', 'number'].includes(
          schema.type ?? '',
        );
        // Without a pointer nothing and the zero value are the same, dropped or shown.
        if (scalar && !field.type.startsWith('*')) {
          if (schema.type === 'string') schema.emptyIsAbsent = true;
          else schema.zeroIsAbsent = true;
        }
        const value = marker(field.markers, 'default')[0];
        if (value !== undefined && /^(?:"[^"]+"|[1-9]\d*|true)$/.test(value)) {
          schema.default = JSON.parse(value);
        }
        out[field.name] = schema;
      }
    }
    return out;
  };

  for (const [home, types] of packages) {
    for (const [name, type] of types) {
      if (type.alias) continue;
      const schema: FieldSchema = {
        type: 'object',
        properties: properties(home, type),
        pruneUnknown: true,
      };
      if (type.markers.includes('+structType=atomic')) {
        schema.atomic = true;
      }
      definitions[`${home}.${name}`] = schema;
      const isKind =
        schema.properties?.kind &&
        schema.properties.metadata?.ref === 'meta.v1.ObjectMeta';
      if (isKind) {
        const group = groups.get(home);
        const version = home.split('.')[1];
        kinds[
          `${group ? `${group}/` : ''}${version}/${name}`
        ] = `${home}.${name}`;
      }
    }
  }
  return { definitions, kinds };
}
