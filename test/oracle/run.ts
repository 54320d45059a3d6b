/*
 * Makes pairs on a real API server: declares an object, lets several managers edit it, and asks after each edit what
 * an apply of the declaration would change.
 */
import {
  Json,
  JsonObject,
  kubernetesSchema,
  ResourceSchema,
} from '@plumbline/drift-engine';
import { Cluster } from './cluster';
import { editDeclaration, editDocument } from './edits';
import { OUR_MANAGER, Pair } from './judge';
import { Kind } from './kinds';
import { Random } from './random';

/** Others who write: tools of people, and controllers. */
const OTHERS = ['kubectl-edit', 'controller', 'autoscaler'];

export interface Source {
  cluster: Cluster;
  openapiV2?: Json;
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function schemaOf(kind: Kind, openapiV2?: Json): ResourceSchema {
  return kubernetesSchema(kind.gvk, {
    ...(kind.crd ? { crd: kind.crd } : {}),
    ...(openapiV2 === undefined ? {} : { openapiV2 }),
  });
}

function named(kind: Kind, name: string): JsonObject {
  // A definition's own name must follow from what it defines.
  if (kind.gvk.endsWith('/CustomResourceDefinition')) {
    const plural = `${name.replace(/-/g, '')}s`;
    const text = JSON.stringify(kind.object)
      .replace(/NAMEs/g, plural)
      .replace(/NAME/g, `Kind${name.replace(/-/g, '')}`);
    const object = JSON.parse(text);
    object.metadata.name = `${plural}.oracle.example.com`;
    return object;
  }
  const object = structuredClone(kind.object) as JsonObject;
  const { namespace: _namespace, ...metadata } = (object.metadata ??
    {}) as JsonObject;
  object.metadata = { ...metadata, name };
  return object;
}

const nameOf = (object: JsonObject) =>
  String((object.metadata as JsonObject).name);

/** What came of one kind. */
export interface Report {
  pairs: Pair[];
  /** Edits and declarations that the server refused. */
  refused: number;
}

/** Installs the definition of a custom resource and waits until the server serves it. */
export async function install(cluster: Cluster, kind: Kind): Promise<void> {
  if (!kind.crd) {
    return;
  }
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const name = nameOf(kind.crd);
  const created = await cluster.call('POST', path, kind.crd);
  if (created.status >= 400 && created.status !== 409) {
    throw new Error(
      `The server refuses ${name}: ${JSON.stringify(created.body).slice(
        0,
        500,
      )}`,
    );
  }
  const deadline = Date.now() + 20_000;
  for (;;) {
    const served = await cluster.call('GET', kind.collection);
    if (served.status === 200) {
      return;
    }
    if (Date.now() > deadline) {
      throw new Error(`The server does not serve ${kind.gvk}.`);
    }
  }
}

/**
 * Makes pairs of one kind.
 *
 * @param count - how many to make
 * @param perObject - edits before a new object is begun
 */
export async function makePairs(
  source: Source,
  kind: Kind,
  count: number,
  random: Random,
  perObject: number = 12,
): Promise<Report> {
  const { cluster } = source;
  const schema = schemaOf(kind, source.openapiV2);
  const report: Report = { pairs: [], refused: 0 };
  for (
    let round = 0;
    report.pairs.length < count && round < count;
    round += 1
  ) {
    const name = `o-${random.below(1e9).toString(36)}`;
    let declared: Json = named(kind, name);
    const path = `${kind.collection}/${nameOf(declared as JsonObject)}`;
    const first = await cluster.apply(path, OUR_MANAGER, declared, false);
    if (first.status >= 300) {
      throw new Error(
        `The server refuses ${kind.gvk}: ${JSON.stringify(first.body).slice(
          0,
          1000,
        )}`,
      );
    }
    let live: Json = first.body;
    for (
      let edit = 0;
      edit < perObject && report.pairs.length < count;
      edit += 1
    ) {
      if (edit > 0 && random.chance(0.5)) {
        const wanted = editDocument(live, random);
        const put = await cluster.call(
          'PUT',
          `${path}?fieldManager=${random.pick(OTHERS)}`,
          wanted,
        );
        if (put.status < 300) live = put.body;
        else report.refused += 1;
      }
      const next: Json =
        edit > 0 && random.chance(0.6)
          ? editDeclaration(declared, live, schema, random)
          : declared;
      const after = await cluster.apply(path, OUR_MANAGER, next, true);
      if (after.status >= 300 || !isObject(after.body)) {
        report.refused += 1;
      } else {
        report.pairs.push({
          gvk: kind.gvk,
          declared: next,
          live,
          after: after.body,
        });
        if (random.chance(0.5)) {
          declared = next;
          if (random.chance(0.5)) {
            const real = await cluster.apply(
              path,
              OUR_MANAGER,
              declared,
              false,
            );
            if (real.status < 300) live = real.body;
          }
        }
      }
    }
    await cluster.call('DELETE', `${path}?gracePeriodSeconds=0`);
  }
  return report;
}
