/*
 * Secrets that are known by the name of their field, whatever is known of its type.
 */
import { evaluate } from '../classify';
import { konnectSchema } from '../konnect/schema';
import { kubernetesSchema } from '../kubernetes/schema';
import { input } from '../__testUtils__/documents';
import { stringifyJson } from '../json/canonical';
import { Json, ResourceSchema } from '../types';

const crd = {
  spec: {
    versions: [
      {
        name: 'v1',
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  password: { type: 'string' },
                  tokens: { type: 'array', items: { type: 'string' } },
                  clientSecret: { type: 'array', items: { type: 'string' } },
                  authorization: { type: 'string', enum: ['RBAC', 'None'] },
                },
              },
            },
          },
        },
      },
    ],
  },
};
const WIDGET = kubernetesSchema('example.com/v1/Widget', { crd });

const printed = (schema: ResourceSchema, declared: Json, live: Json) =>
  stringifyJson(evaluate(input(schema, declared, live)) as unknown as Json);

describe('a secret by name', () => {
  it.each<[string, ResourceSchema, (value: string) => Json]>([
    [
      'in a custom resource with a definition',
      WIDGET,
      value => ({ spec: { password: value } }),
    ],
    [
      'in a list of texts',
      WIDGET,
      value => ({ spec: { clientSecret: [value] } }),
    ],
    [
      'in a custom resource without a definition',
      kubernetesSchema('example.com/v1/Thing'),
      value => ({ spec: { password: value } }),
    ],
    [
      'in the configuration of a plugin',
      konnectSchema('plugins', {
        fields: [
          {
            config: {
              type: 'record',
              fields: [{ password: { type: 'string' } }],
            },
          },
        ],
      }),
      value => ({ config: { password: value } }),
    ],
  ])('is not shown: %s', (_what, schema, document) => {
    const text = printed(
      schema,
      document('hunter-one'),
      document('hunter-two'),
    );
    expect(text).toContain('"verdict":"Drifted"');
    expect(text).not.toMatch(/hunter/);
  });

  it.each<[string, string]>([
    ['KongCredentialAPIKey', 'key'],
    ['KongCredentialJWT', 'key'],
    ['KongCertificate', 'key'],
    ['KongCertificate', 'key_alt'],
  ])('is known by its kind where its name says little: %s %s', (kind, name) => {
    const of = (value: string) => ({ spec: { [name]: value, name: value } });
    const properties = { name: { type: 'string' }, [name]: { type: 'string' } };
    const definition = {
      spec: {
        versions: [
          {
            name: 'v1',
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: { spec: { type: 'object', properties } },
              },
            },
          },
        ],
      },
    };
    const gvk = `configuration.konghq.com/v1/${kind}`;
    for (const schema of [
      kubernetesSchema(gvk),
      kubernetesSchema(gvk, { crd: definition }),
    ]) {
      const { changes } = evaluate(input(schema, of('one'), of('two')));
      expect(changes.map(({ path, secret }) => [path, secret])).toEqual([
        [`/spec/${name}`, true],
        ['/spec/name', undefined],
      ]);
    }
  });

  it('is known by the flag before it', () => {
    const args = (...all: string[]) => ({
      spec: { containers: [{ name: 'a', args: all }] },
    });
    for (const schema of [
      kubernetesSchema('v1/Pod'),
      kubernetesSchema('example.com/v1/Thing'),
    ]) {
      const text = printed(
        schema,
        args('--user', 'admin', '--db-password', 'hunter one', '--token'),
        args('--user', 'admin', '--db-password', 'hunter two', '--token'),
      );
      expect(text).toContain('"verdict":"Drifted"');
      expect(text).toContain('admin');
      expect(text).not.toMatch(/hunter/);
      expect(
        printed(
          schema,
          args('--token', '$(TOKEN)', '--password', '--verbose'),
          args('--token', '$(OTHER)', '--password', '--verbose'),
        ),
      ).toContain('$(TOKEN)');
    }
  });

  it('is none where the value is one of a few words', () => {
    expect(
      printed(
        WIDGET,
        { spec: { authorization: 'RBAC' } },
        { spec: { authorization: 'None' } },
      ),
    ).toContain('RBAC');
  });

  it('is none where the value is an amount', () => {
    const quota = (secrets: string) => ({ spec: { hard: { secrets } } });
    expect(
      printed(kubernetesSchema('v1/ResourceQuota'), quota('10'), quota('11')),
    ).toContain('"declared":"10"');
  });
});
