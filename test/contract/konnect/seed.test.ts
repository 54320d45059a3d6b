import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createMockDirectory } from '@backstage/backend-test-utils';
import { KONG_CRDS, KubeClient, startSandbox } from '@plumbline/drift-sandbox';
import Ajv2020, { ValidateFunction } from 'ajv/dist/2020';
import { parse } from 'yaml';
import { describeWhere } from '../../src/leftOut';
import {
  isObject,
  Json,
  JsonObject,
  toJsonSchema,
} from '../../src/openApiSchema';

const FOLDER =
  process.env.KONG_CRDS_DIR ??
  resolve(
    dirname(require.resolve('@plumbline/tests/package.json')),
    '../../shared/upstream/kong-crds',
  );

interface Definition {
  spec: {
    group: string;
    names: { kind: string };
    versions: Array<{
      name: string;
      schema: { openAPIV3Schema: JsonObject };
    }>;
  };
}

/** Some of their patterns are unicode regular expressions, others have escapes that these do not know. */
const regExp = Object.assign(
  (pattern: string) =>
    new RegExp(pattern, pattern.includes('\\p{') ? 'u' : undefined),
  { code: 'new RegExp' },
);

/** Kong's definitions by `group/version/Kind`, as judges that accept no field that the definition would drop. */
function kongsDefinitions(): Map<string, ValidateFunction> {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    validateFormats: false,
    code: { regExp },
  });
  const judges = new Map<string, ValidateFunction>();
  for (const file of readdirSync(FOLDER)) {
    const { spec } = parse(
      readFileSync(join(FOLDER, file), 'utf8'),
    ) as Definition;
    for (const { name, schema } of spec.versions) {
      const closed = withoutUnknownFields(schema.openAPIV3Schema);
      judges.set(
        `${spec.group}/${name}/${spec.names.kind}`,
        ajv.compile(toJsonSchema(closed, 'request', '') as JsonObject),
      );
    }
  }
  return judges;
}

function withoutUnknownFields(value: Json | undefined): Json {
  if (Array.isArray(value)) return value.map(withoutUnknownFields);
  if (!isObject(value)) return value ?? null;
  const copy = Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      withoutUnknownFields(member),
    ]),
  );
  return isObject(value.properties) &&
    value.type === 'object' &&
    value['x-kubernetes-preserve-unknown-fields'] !== true
    ? { ...copy, additionalProperties: false }
    : copy;
}

describeWhere(
  existsSync(FOLDER),
  "Kong's custom resource definitions are",
  "The seed's Kong resources",
  () => {
    const directory = createMockDirectory();

    async function seeded(): Promise<JsonObject[]> {
      const sandbox = await startSandbox({
        dataDir: directory.path,
        ports: { konnect: 0, kubernetes: 0 },
      });
      try {
        const kube = new KubeClient(sandbox.kubernetes);
        const kinds = (KONG_CRDS as unknown as Definition[]).map(
          ({ spec }) => spec.names.kind,
        );
        const lists = await Promise.all(
          kinds.map(async kind => kube.list(await kube.kind(kind))),
        );
        return lists.flat() as JsonObject[];
      } finally {
        await sandbox.close();
      }
    }

    it("are accepted as they are by Kong's own definitions", async () => {
      const judges = kongsDefinitions();
      const resources = await seeded();
      expect(resources.length).toBeGreaterThan(40);
      const problems = resources.flatMap(resource => {
        const key = `${resource.apiVersion}/${resource.kind}`;
        const judge = judges.get(key);
        if (!judge) return [`Kong has no ${key}`];
        // A server checks metadata by itself.
        return judge({ ...resource, metadata: {} })
          ? []
          : (judge.errors ?? []).map(
              ({ instancePath, message }) => `${key}${instancePath} ${message}`,
            );
      });
      expect(problems).toEqual([]);
    });
  },
);
