/*
 * Makes src/kubernetes/built-in-kinds.json from a running API server: only what the engine needs of `/openapi/v2`.
 *
 *   kubectl get --raw /openapi/v2 > openapi.json
 *   node --require @backstage/cli/config/nodeTransform.cjs scripts/kubernetes-snapshot.ts openapi.json
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FieldSchema } from '../src/types';
import { readOpenApi } from '../src/kubernetes/openapi';
import { pack } from '../src/kubernetes/snapshot';

/** Kinds that nobody declares: read-only, internal, or gone from current servers. */
const LEFT_OUT =
  /List$|^extensions\/|alpha\d+\/|^(?:events|authentication|authorization|flowcontrol|internal)\.|^v1\/(?:Binding|ComponentStatus|Event|Status|APIGroup|APIResource|APIVersions)|\/(?:DeleteOptions|WatchEvent|Scale|Eviction|TokenRequest|ControllerRevision)$/;

function main(file: string) {
  const all = readOpenApi(JSON.parse(readFileSync(file, 'utf8')));
  const kinds: Record<string, string> = {};
  const definitions: Record<string, unknown> = {};

  const visit = (schema: FieldSchema | undefined): void => {
    if (!schema) {
      return;
    }
    if (schema.ref !== undefined && !(schema.ref in definitions)) {
      add(schema.ref);
    }
    visit(schema.items);
    visit(schema.values);
    Object.values(schema.properties ?? {}).forEach(visit);
  };
  const add = (name: string) => {
    const { required: _required, ...schema } = all.definitions[name];
    if (schema.properties?.apiVersion && schema.properties.metadata) {
      // The server's own part of a kind is never compared.
      schema.properties = { ...schema.properties };
      delete schema.properties.status;
    }
    definitions[name] = pack(schema);
    visit(schema);
  };

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
    `${Object.keys(kinds).length} kinds, ${Object.keys(sorted).length} definitions\n`,
  );
}

main(process.argv[2]);
