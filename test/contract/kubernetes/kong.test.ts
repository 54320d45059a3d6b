// Kong's own definitions and samples, applied to the sandbox and to a real API server, with the same outcome.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { Body } from './client';
import { itWhere } from '../../src/leftOut';
import { REAL_SERVER, Server, candidates, realServer } from './servers';
import { cleanUp, define } from './use';

jest.setTimeout(300_000);

const upstream = resolve(__dirname, '../../../../shared/upstream');
const crdFolder = join(upstream, 'kong-crds');
const sampleFolder = join(upstream, 'kong-samples');

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string };
}

type Definition = Parameters<typeof define>[1];

const read = <T>(file: string, change = (text: string) => text): T[] =>
  parseAllDocuments(change(readFileSync(file, 'utf8')))
    .map(document => document.toJS() as T | null)
    .filter((value): value is T => value !== null);

const filesOf = (folder: string) =>
  readdirSync(folder)
    .filter(file => file.endsWith('.yaml'))
    .sort()
    .map(file => join(folder, file));

/** An old real server cannot read an empty text as a default. */
const withoutEmptyDefaults = (text: string) =>
  text.replace(/^\s*default: ""\n/gm, '');

/** What came of one manifest. */
interface Outcome {
  what: string;
  status: number;
  object?: object;
  owners?: object;
  causes?: string[];
}

function outcomeOf(what: string, status: number, body: Body): Outcome {
  if (status >= 400) {
    const causes = (body.details?.causes ?? []).map(
      ({ field, reason }) => `${field} ${reason}`,
    );
    return { what, status, causes: causes.sort() };
  }
  const { metadata, ...object } = body;
  const { labels, annotations, finalizers, generation, managedFields } =
    metadata;
  return {
    what,
    status,
    object: { ...object, labels, annotations, finalizers, generation },
    owners: managedFields?.map(({ time: _, ...entry }) => entry),
  };
}

/** Applies every sample to an empty cluster, twice: the second time nothing may change. */
async function applySamples(server: Server): Promise<Outcome[]> {
  const { client } = server;
  const plurals = new Map<string, { path: string; namespaced: boolean }>();
  const resourceOf = async ({ apiVersion, kind }: Manifest) => {
    const key = `${apiVersion}/${kind}`;
    const root = apiVersion.includes('/') ? '/apis' : '/api';
    if (!plurals.has(key)) {
      const { body } = await client.get(`${root}/${apiVersion}`);
      const { resources = [] } = body as unknown as {
        resources?: { name: string; kind: string; namespaced: boolean }[];
      };
      for (const resource of resources) {
        if (!resource.name.includes('/')) {
          plurals.set(`${apiVersion}/${resource.kind}`, {
            path: `${root}/${apiVersion}|${resource.name}`,
            namespaced: resource.namespaced,
          });
        }
      }
    }
    return plurals.get(key);
  };
  const outcomes: Outcome[] = [];
  for (const file of filesOf(sampleFolder)) {
    const applied: string[] = [];
    for (const manifest of read<Manifest>(file)) {
      const { name, namespace = 'default' } = manifest.metadata;
      const what = `${file.split('/').pop()}: ${
        manifest.kind
      } ${namespace}/${name}`;
      const resource = await resourceOf(manifest);
      if (!resource) {
        outcomes.push({ what, status: 404 });
        continue;
      }
      const [start, plural] = resource.path.split('|');
      const scope = resource.namespaced ? `/namespaces/${namespace}` : '';
      const path = `${start}${scope}/${plural}/${name}`;
      const first = await client.apply(path, 'kong', manifest, '&force=true');
      outcomes.push(outcomeOf(what, first.status, first.body));
      if (first.status < 400) {
        applied.push(path);
        const second = await client.apply(path, 'kong', manifest);
        expect(outcomeOf(what, 200, second.body)).toEqual(
          outcomeOf(what, 200, first.body),
        );
      }
    }
    for (const path of applied) {
      await client.delete(path);
    }
  }
  return outcomes;
}

/** Samples in which a required text is there, but empty. */
const WITH_EMPTY_NAMESPACE = [
  'konnect_kongvault.yaml: KongReferenceGrant default/allow-kongvault-to-konnectgatewaycontrolplane',
  'konnect_kongvault_configstoreref.yaml: KongReferenceGrant default/allow-kongvault-to-konnect-resources',
];

const present = existsSync(crdFolder) && existsSync(sampleFolder);

itWhere(
  present,
  "Kong's definitions and samples beside the project",
  'there are 28 definitions',
  () => expect(filesOf(crdFolder)).toHaveLength(28),
);

if (present) {
  describe("Kong's definitions and samples", () => {
    const results: { outcomes: Outcome[] }[] = [];

    it.each(candidates)('load and apply on $name', async candidate => {
      const server = await candidate.start();
      try {
        for (const file of filesOf(crdFolder)) {
          for (const crd of read<Definition>(file, withoutEmptyDefaults)) {
            await define(server, crd);
          }
        }
        for (const namespace of namespacesOfSamples()) {
          await server.client.post('/api/v1/namespaces', {
            apiVersion: 'v1',
            kind: 'Namespace',
            metadata: { name: namespace },
          });
        }
        const outcomes = await applySamples(server);
        expect(outcomes.length).toBeGreaterThan(80);
        // Old servers take an empty text for a missing one.
        const refused = server.minor < 22 ? WITH_EMPTY_NAMESPACE : [];
        expect(
          outcomes
            .filter(({ status }) => status >= 400)
            .map(({ what }) => what),
        ).toEqual(refused);
        results.push({ outcomes });
      } finally {
        await cleanUp(server);
        await server.stop();
      }
    });

    itWhere(
      realServer !== undefined,
      REAL_SERVER,
      'come out the same on both',
      () => {
        const [sandbox, real] = results;
        // Namespaces have a label of their own name since 1.21, and undeclared content is owned field by field
        // since then, of which the vaults have some.
        const comparable = ({ what }: Outcome) =>
          !WITH_EMPTY_NAMESPACE.includes(what) &&
          !/: (Namespace|KongVault) /.test(what);
        expect(sandbox.outcomes.filter(comparable)).toEqual(
          real.outcomes.filter(comparable),
        );
      },
    );

    it('load on the sandbox as they are, empty defaults included', async () => {
      const server = await candidates[0].start();
      try {
        for (const file of filesOf(crdFolder)) {
          for (const crd of read<Definition>(file)) {
            await define(server, crd);
          }
        }
        const { body } = await server.client.get(
          '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
        );
        expect(body.items).toHaveLength(28);
      } finally {
        await server.stop();
      }
    });
  });
}

function namespacesOfSamples(): string[] {
  const names = filesOf(sampleFolder)
    .flatMap(file => read<Manifest>(file))
    .map(({ metadata }) => metadata.namespace ?? 'default');
  return [...new Set(names)].filter(name => name !== 'default');
}
