/*
 * Records a sample of pairs with the server's answers, for machines that have no API server.
 *
 *   KUBEBUILDER_ASSETS=… node --require @backstage/cli/config/nodeTransform.cjs test/oracle/record.ts [per kind]
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  Json,
  JsonObject,
  ResourceSchema,
  stringifyJson,
} from '@plumbline/drift-engine';
import { Pair } from './judge';
import { seededRandom } from './random';
import { schemaOf } from './run';
import { ask, startOracle } from './server';

/** Leaves out what neither side looks at, so that the sample stays small. */
function slim(object: Json): Json {
  const { status: _status, ...rest } = object as JsonObject;
  return rest;
}

async function main() {
  const assets = process.env.KUBEBUILDER_ASSETS;
  if (!assets) {
    throw new Error(
      'KUBEBUILDER_ASSETS must name a folder with etcd and kube-apiserver.',
    );
  }
  const perKind = Number(process.argv[2] ?? 5);
  const oracle = await startOracle(assets);
  const pairs: Pair[] = [];
  const schemas: Record<string, ResourceSchema> = {};
  try {
    for (const kind of oracle.kinds) {
      const { pairs: found } = await ask(
        oracle,
        kind,
        perKind * 4,
        seededRandom(1),
      );
      // Every fourth, because neighbours are much alike.
      pairs.push(
        ...found
          .filter((_pair, index) => index % 4 === 3)
          .map(({ gvk, declared, live, after }) => ({
            gvk,
            declared,
            live: slim(live),
            // The owners after the dry run are of no use.
            after: slim(after),
          })),
      );
      if (kind.crd) {
        schemas[kind.gvk] = schemaOf(kind);
      }
    }
  } finally {
    await oracle.stop();
  }
  for (const pair of pairs) {
    const { metadata } = pair.after as JsonObject;
    delete (metadata as JsonObject).managedFields;
  }
  writeFileSync(
    join(__dirname, 'recorded.json'),
    `${stringifyJson({ pairs, schemas } as unknown as Json)}\n`,
  );
  process.stdout.write(`${pairs.length} pairs recorded\n`);
}

main().catch(error => {
  process.stderr.write(`${error}\n`);
  process.exitCode = 1;
});
