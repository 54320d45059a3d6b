/*
 * Makes src/kubernetes/built-in-kinds.json: only what the engine needs to know of the built-in kinds.
 *
 *   kubectl get --raw /openapi/v2 > openapi.json
 *   node --require @backstage/cli/config/nodeTransform.cjs scripts/kubernetes-snapshot.ts openapi.json [k8s.io/api]
 *
 * The second argument is a checkout of k8s.io/api: kinds and fields newer than the server, and which are no pointers.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FieldSchema } from '../src/types';
import { Definitions, readOpenApi } from '../src/kubernetes/openapi';
import { pack } from '../src/kubernetes/snapshot';
import { withSiblingZeros } from '../src/kubernetes/zeros';
import { readGoTypes } from './go-types';

/** Kinds that nobody declares: read-only, internal, or gone from current servers. */
const LEFT_OUT =
  /List$|^extensions\/|^apps\/v1beta|alpha\d+\/|^(?:events|authentication|authorization|internal|imagepolicy|admission|apidiscovery)\.|^v1\/(?:Binding|ComponentStatus|Event|Status|RangeAllocation|PodStatusResult|API\w+|Serialized\w+)|\/(?:DeleteOptions|WatchEvent|Scale|Eviction|TokenRequest|AdmissionReview|ImageReview)$/;

/** One definition from both sources. Types say more than one server's document does. */
function merge(server: FieldSchema, types: FieldSchema): FieldSchema {
  return {
    ...server,
    ...types,
    properties: { ...server.properties, ...types.properties },
  };
}

function join2(server: Definitions, types: Definitions): Definitions {
  const definitions = withSiblingZeros(server.definitions, types.definitions);
  for (const [name, schema] of Object.entries(types.definitions)) {
    const known = definitions[name];
    definitions[name] = known ? merge(known, schema) : schema;
  }
  return { definitions, kinds: { ...types.kinds, ...server.kinds } };
}

/** Newer servers own these as a whole; their types are outside k8s.io/api. */
const ATOMIC = ['meta.v1.LabelSelector'];

function main(file: string, goTypes?: string) {
  const server = readOpenApi(JSON.parse(readFileSync(file, 'utf8')));
  const all = goTypes ? join2(server, readGoTypes(goTypes)) : server;
  const kinds: Record<string, string> = {};
  const definitions: Record<string, unknown> = {};

  function visit(schema: FieldSchema | undefined): void {
    if (!schema) {
      return;
    }
    if (schema.ref !== undefined && !(schema.ref in definitions)) {
      add(schema.ref);
    }
    visit(schema.items);
    visit(schema.values);
    Object.values(schema.properties ?? {}).forEach(visit);
  }
  function add(name: string) {
    if (!all.definitions[name]) {
      process.stderr.write(
        `${name} is in neither source: anything goes there.\n`,
      );
      definitions[name] = pack({ type: 'any' });
      return;
    }
    const { required: _required, ...schema } = all.definitions[name];
    if (ATOMIC.includes(name)) {
      schema.atomic = true;
    }
    if (schema.properties?.apiVersion && schema.properties.metadata) {
      // The server's own part of a kind is never compared.
      schema.properties = { ...schema.properties };
      delete schema.properties.status;
    }
    definitions[name] = pack(schema);
    visit(schema);
  }

  for (const [gvk, name] of Object.entries(all.kinds).sort()) {
    if (!LEFT_OUT.test(gvk) && all.definitions[name].properties?.metadata) {
      kinds[gvk] = name;
      if (!(name in definitions)) add(name);
    }
  }
  const sorted = Object.fromEntries(Object.entries(definitions).sort());
  const target = join(__dirname, '../src/kubernetes/built-in-kinds.json');
  writeFileSync(target, `${JSON.stringify({ kinds, definitions: sorted })}\n`);
  process.stdout.write(
    `${Object.keys(kinds).length} kinds, ${
      Object.keys(sorted).length
    } definitions\n`,
  );
}

main(process.argv[2], process.argv[3]);
