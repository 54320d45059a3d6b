import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { at, isObject, textAt } from '@plumbline/backstage-plugin-drift-node';
import type { DeclaredResource } from '@plumbline/backstage-plugin-drift-node';
import { normalise, setAt, type Json } from '@plumbline/drift-engine';
import { parseAllDocuments } from 'yaml';
import { KINDS } from '../kinds';
import {
  anySignal,
  startHarness,
  type Harness,
} from '../__testUtils__/harness';
import { contextOf, partsFor } from '../__testUtils__/objects';

// Kong's own sample manifests, where a checkout of them lies beside the repository.
const FOLDER =
  process.env.KONG_SAMPLES_DIR ??
  resolve(__dirname, '../../../../../shared/upstream/kong-samples');
const present = existsSync(FOLDER);

if (!present) {
  // A skipped test says nothing about what was not tried.
  process.stderr.write(
    `Kong's samples are not in ${FOLDER} (KONG_SAMPLES_DIR): not tried\n`,
  );
}

const KIND_NAMES = KINDS.map(({ customResource }) => customResource.kind);
const ORDER: string[] = KINDS.map(({ collection }) => collection);
const CLUSTER_SCOPED = KINDS.filter(
  ({ customResource }) => customResource.clusterScoped,
).map(({ customResource }) => customResource.kind);

/** The objects of one file, as an API server would hold them. */
function objectsOf(file: string): Json[] {
  return parseAllDocuments(readFileSync(join(FOLDER, file), 'utf8'))
    .map(document => document.toJS() as Json)
    .filter(isObject)
    .map((object, index) => ({
      ...object,
      metadata: {
        ...(!CLUSTER_SCOPED.includes(textAt(object, 'kind') ?? '') && {
          namespace: 'default',
        }),
        uid: `00000000-0000-4000-8000-0000000000${String(index).padStart(
          2,
          '0',
        )}`,
        resourceVersion: '1',
        ...(isObject(object.metadata) ? object.metadata : {}),
      },
    }));
}

/** What is wrong with the samples themselves, or needs somebody else. */
const EXPECTED: Record<string, string[]> = {
  // Secrets are not read.
  'konnect_certificate_secretref.yaml': ['SecretNotReadable'],
  'konnect_kongcacertificate_secretref.yaml': ['SecretNotReadable'],
  // Nothing grants its certificates the control plane of another namespace.
  'konnect_kongservice_with_certificates.yaml': ['ReferenceNotGranted'],
  // Only the operator makes config stores.
  'konnect_kongvault_configstoreref.yaml': ['UnsupportedReference'],
  // Its consumer group names a control plane `test1` that the file does not have.
  'konnect-kongservice-kongroute-consumergroup-plugin-annotated.yaml': [
    'DanglingReference',
  ],
};

/** What waits for something that is wrong. */
const WAITING: Record<string, string[]> = {
  'konnect_kongservice_with_certificates.yaml': ['service-1'],
};

const controlPlaneNames = (objects: Json[]) =>
  objects.flatMap(object => {
    const name = textAt(object, 'spec', 'createControlPlaneRequest', 'name');
    return name ? [name] : [];
  });

(present ? describe : describe.skip)('Kong’s samples', () => {
  const files = present
    ? readdirSync(FOLDER).filter(file => {
        const objects = objectsOf(file);
        return objects.some(object =>
          KIND_NAMES.includes(textAt(object, 'kind') ?? ''),
        );
      })
    : [];
  let harness: Harness;
  beforeEach(async () => {
    harness = await startHarness();
  });
  afterEach(() => harness.close());

  async function mapFile(file: string): Promise<DeclaredResource[]> {
    const objects = objectsOf(file);
    const [controlPlaneName] = controlPlaneNames(objects);
    const { mapper } = partsFor({ id: 'prod', controlPlaneName });
    const declared: DeclaredResource[] = [];
    for (const object of objects) {
      declared.push(...(await mapper.map(object, contextOf(object, objects))));
    }
    return declared;
  }

  it.each(files)(
    '%s: every entity is declared, and Konnect takes it',
    async file => {
      const mapped = objectsOf(file).filter(object =>
        KIND_NAMES.includes(textAt(object, 'kind') ?? ''),
      );
      const declared = await mapFile(file);
      expect(
        declared.map(({ origin }) => `${origin.kind} ${origin.name}`),
      ).toEqual(
        mapped.map(
          object =>
            `${textAt(object, 'kind')} ${textAt(object, 'metadata', 'name')}`,
        ),
      );
      const problems = declared.flatMap(resource => resource.problems ?? []);
      expect([...new Set(problems.map(({ reason }) => reason))]).toEqual(
        EXPECTED[file] ?? [],
      );
      const signal = anySignal();
      const ids = new Map<string, string>();
      const key = ({ kind, namespace, name }: DeclaredResource['ref']) =>
        `${kind} ${namespace} ${name}`;
      const valid = declared.filter(resource => !resource.problems);
      const waiting: string[] = [];
      for (const resource of valid.sort(
        (a, b) => ORDER.indexOf(a.ref.kind) - ORDER.indexOf(b.ref.kind),
      )) {
        let { document } = resource;
        const references = resource.references ?? [];
        if (references.some(({ ref }) => !ids.has(key(ref)))) {
          waiting.push(resource.ref.name);
          continue;
        }
        for (const { path, ref } of references) {
          document = setAt(document, path, ids.get(key(ref)) ?? '');
        }
        const filled = { ...resource, document };
        const schema = await harness.platform.schema(resource.ref.kind, {
          signal,
          declared: filled,
        });
        const receipt = await harness.platform.write(
          {
            ref: resource.ref,
            declared: filled,
            live: null,
            fields: [],
            removals: [],
            kept: [],
            schema,
          },
          { signal },
        );
        ids.set(key(resource.ref), receipt.id);
        const read = await harness.platform.find(filled, { signal });
        if (read.found !== true) {
          throw new Error(`${key(resource.ref)} was written and is not found`);
        }
        for (const side of ['declared', 'live'] as const) {
          const state = normalise(
            side === 'declared' ? document : read.live.document,
            {
              schema,
              side,
              secretDigest: value => `digest of ${value.length}`,
            },
          );
          expect([side, state.problems]).toEqual([side, []]);
        }
        expect(at(read.live.document, 'id')).toBe(receipt.id);
      }
      expect(waiting).toEqual(WAITING[file] ?? []);
    },
  );
});
