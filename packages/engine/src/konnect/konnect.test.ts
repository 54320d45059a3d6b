/*
 * What is particular about Konnect's entities: names that changed, values that never come back, marks of owners.
 */
import { evaluate } from '../classify';
import { overlay } from '../overlay';
import { stringifyJson } from '../json/canonical';
import { input } from '../__testUtils__/documents';
import { EvaluateInput, Json, JsonObject } from '../types';
import { konnectSchema } from './schema';

const judge = (
  collection: string,
  declared: Json | null,
  live: Json | null,
  more: Partial<EvaluateInput> & { agreed?: Json } = {},
) => evaluate(input(konnectSchema(collection), declared, live, more));

const plugin = (name: string, config: Json): JsonObject => ({ name, config });

const NODES: Json = {
  fields: [
    {
      config: {
        type: 'record',
        fields: [
          {
            redis: {
              type: 'record',
              fields: [
                { connect_timeout: { type: 'integer' } },
                { read_timeout: { type: 'integer' } },
                {
                  sentinel_nodes: {
                    type: 'array',
                    elements: {
                      type: 'record',
                      fields: [
                        { host: { type: 'string', default: '127.0.0.1' } },
                        { port: { type: 'integer', default: 6379 } },
                      ],
                    },
                  },
                },
              ],
              shorthand_fields: [
                {
                  timeout: {
                    type: 'integer',
                    deprecation: {
                      replaced_with: [
                        { path: ['connect_timeout'] },
                        { path: ['read_timeout'] },
                      ],
                    },
                  },
                },
                {
                  sentinel_addresses: {
                    type: 'array',
                    deprecation: {
                      replaced_with: [{ path: ['sentinel_nodes'] }],
                    },
                  },
                },
                { unsaid: { type: 'string' } },
                {
                  broken: {
                    deprecation: { replaced_with: [{ path: [1] }, 'x'] },
                  },
                },
              ],
            },
          },
        ],
      },
    },
  ],
};

describe('an older name of a plugin’s field', () => {
  it.each<[string, Json, Json]>([
    [
      'session',
      { cookie_lifetime: 60, cookie_samesite: 'Lax', cookie_idletime: null },
      { rolling_timeout: 60, cookie_same_site: 'Lax' },
    ],
    [
      'http-log',
      { queue_size: 10, flush_timeout: 2 },
      { queue: { max_batch_size: 10, max_coalescing_delay: 2, initial: 1 } },
    ],
    [
      'opentelemetry',
      { endpoint: 'http://otel' },
      { traces_endpoint: 'http://otel', endpoint: null },
    ],
    [
      'openid-connect',
      { session_redis_host: 'r', session_cookie_httponly: true },
      { redis: { host: 'r' }, session_cookie_http_only: true },
    ],
    [
      'rate-limiting-advanced',
      { redis: { timeout: 9, sentinel_addresses: ['a:1', '[::1]:2', 'odd'] } },
      {
        redis: {
          connect_timeout: 9,
          read_timeout: 9,
          send_timeout: 9,
          sentinel_nodes: [
            { host: 'a', port: 1 },
            { host: '[::1]', port: 2 },
            'odd',
          ],
        },
      },
    ],
    [
      'proxy-cache-advanced',
      { redis: { cluster_addresses: ['a:1'] } },
      { redis: { cluster_nodes: [{ ip: 'a', port: 1 }] } },
    ],
    ['pre-function', { functions: ['x'] }, { access: ['x'] }],
  ])('means the newer one: %s', (name, declared, live) => {
    expect(
      judge('plugins', plugin(name, declared), plugin(name, live)),
    ).toMatchObject({ verdict: 'InSync', changes: [] });
  });

  it.each<[string, Json]>([
    ['rate-limiting', { redis: { timeout: 9 } }],
    ['constructor', { functions: ['x'] }],
  ])('is its own where the plugin has it: %s', (name, config) => {
    const { changes } = judge(
      'plugins',
      plugin(name, config),
      plugin(name, { redis: { connect_timeout: 9 }, access: ['x'] }),
    );
    expect(changes.map(change => change.path)).toEqual([
      name === 'constructor' ? '/config/functions' : '/config/redis/timeout',
    ]);
  });

  it('gives way to the newer one, where both are given', () => {
    const both = { cookie_lifetime: 1, rolling_timeout: 2 };
    expect(
      judge(
        'plugins',
        plugin('session', both),
        plugin('session', { rolling_timeout: 2 }),
      ).verdict,
    ).toBe('InSync');
  });

  it('is known from the plugin’s own schema, and may stand for several', () => {
    const schema = konnectSchema('plugins', NODES);
    const found = (live: Json) =>
      evaluate(
        input(
          schema,
          plugin('of-ours', {
            redis: { timeout: 9, sentinel_addresses: ['a:1'] },
          }),
          plugin('of-ours', live),
        ),
      );
    const sentinel_nodes = [{ host: 'a', port: 1 }];
    expect(
      found({ redis: { connect_timeout: 9, read_timeout: 9, sentinel_nodes } })
        .verdict,
    ).toBe('InSync');
    expect(
      found({
        redis: { connect_timeout: 9, read_timeout: 8, sentinel_nodes },
      }).changes.map(change => change.path),
    ).toEqual(['/config/redis/read_timeout']);
  });
});

describe('a secret that does not come back', () => {
  it.each<[string, Json, Json]>([
    ['hmac-auths', { username: 'a', secret: 'one' }, { username: 'a' }],
    [
      'hmac-auths',
      { username: 'a', secret: 'one' },
      { username: 'a', secret: 'encrypted' },
    ],
    ['key-auths', { key: 'one' }, {}],
    ['jwts', { key: 'a', secret: 'b' }, { secret: null }],
  ])('cannot differ: %s', (collection, declared, live) => {
    expect(judge(collection, declared, live).verdict).toBe('InSync');
  });

  it('differs where it does come back', () => {
    const { changes } = judge('key-auths', { key: 'one' }, { key: 'two' });
    expect(changes.map(change => change.path)).toEqual(['/key']);
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['hmac-auths', { username: 'a', secret: 'one' }, { username: 'b' }],
    ['certificates', { cert: 'a', key: 'one' }, { cert: 'b' }],
  ])('is written all the same: %s', (collection, declared, live) => {
    const [field] = Object.keys(declared);
    expect(
      overlay({
        schema: konnectSchema(collection),
        live,
        declared,
        fields: [`/${field}`],
      }),
    ).toEqual(declared);
  });

  it.each([
    'header_value',
    'param_value',
    'aws_access_key_id',
    'azure_client_id',
    'gcp_service_account_json',
    'approle_secret_id',
  ])('is not shown, although its name says little: %s', name => {
    const of = (value: string) =>
      plugin('ai-proxy', { auth: { [name]: value } });
    const answer = judge('plugins', of('hunter-one'), of('hunter-two'));
    expect(answer.verdict).toBe('Drifted');
    expect(stringifyJson(answer as unknown as Json)).not.toMatch(/hunter/);
  });
});

describe('an empty value', () => {
  it.each<[string, Json, Json]>([
    ['plugins', { ordering: {} }, { ordering: null }],
    ['vaults', { config: { prefix: '' } }, { config: { prefix: null } }],
    ['services', { unheard_of: [] }, { unheard_of: null }],
  ])('says nothing: %s', (collection, declared, live) => {
    expect(judge(collection, declared, live).verdict).toBe('InSync');
  });
});

describe('a declaration that Konnect refuses', () => {
  it.each<[string, Json, string]>([
    ['services', { port: 99999 }, 'OutOfRange'],
    ['services', { connect_timeout: 0 }, 'OutOfRange'],
    ['services', { protocol: 'htps' }, 'NotAllowed'],
    ['services', { url: 'htps://a' }, 'NotAllowed'],
    ['routes', { protocols: ['http', 'httpz'] }, 'NotAllowed'],
    ['routes', { https_redirect_status_code: 200 }, 'NotAllowed'],
    ['targets', { weight: -1 }, 'OutOfRange'],
    ['plugins', { config: [] }, 'WrongType'],
  ])('is invalid: %s %j', (collection, declared, reason) => {
    const answer = judge(collection, declared, {});
    expect(answer.verdict).toBe('Invalid');
    expect(answer.problems.map(problem => problem.reason)).toEqual([reason]);
  });
});

describe('a target', () => {
  it.each([
    ['a.internal', 'a.internal:8000'],
    ['10.0.0.1', '10.0.0.1:8000'],
    ['[::1]', '[::1]:8000'],
    ['::1', '::1'],
  ])('without a port is at 8000: %s', (target, live) => {
    expect(judge('targets', { target }, { target: live }).verdict).toBe(
      'InSync',
    );
    expect(
      judge('targets', { target }, { target: `${live}1` }).changes,
    ).toHaveLength(1);
  });
});

describe('a host', () => {
  it.each<[string, Json, Json]>([
    ['services', { host: 'A.b' }, { host: 'a.b' }],
    ['routes', { hosts: ['A.b'] }, { hosts: ['a.b'] }],
  ])('is told by its case: %s', (collection, declared, live) => {
    expect(judge(collection, declared, live).changes).toHaveLength(1);
  });
});

describe('a control plane', () => {
  it('comes back with what it was made of inside its configuration', () => {
    const declared = { name: 'a', auth_type: 'pki_client_certs' };
    const live = (auth_type: string) => ({
      name: 'a',
      config: { auth_type, control_plane_endpoint: 'https://a' },
    });
    expect(
      judge('control-planes', declared, live('pki_client_certs')),
    ).toMatchObject({ verdict: 'InSync', extras: [] });
    expect(
      judge('control-planes', declared, live('pinned_client_certs')).changes,
    ).toMatchObject([{ path: '/auth_type' }]);
  });

  it('bears its owner’s mark among its labels', () => {
    const marked = (uid: string) => ({ name: 'a', labels: { 'k8s-uid': uid } });
    expect(judge('control-planes', marked('a'), marked('b'))).toMatchObject({
      verdict: 'Conflicted',
      reason: 'ForeignOwner',
    });
    expect(judge('control-planes', marked('a'), marked('a')).verdict).toBe(
      'InSync',
    );
    expect(
      judge('control-planes', { name: 'a' }, marked('a')).extras,
    ).toMatchObject([{ isDefault: true }]);
  });
});

describe('tags', () => {
  const tags = (...all: string[]) => ({ host: 'a', tags: all });

  it('by which the operator keeps book are not compared, declared or not', () => {
    expect(
      judge(
        'services',
        tags('a', 'k8s-generation:1', 'k8s-kind:KongService'),
        tags('a', 'k8s-generation:2'),
      ).verdict,
    ).toBe('InSync');
  });

  it('of the operator are nothing that somebody added', () => {
    expect(
      judge('services', { host: 'a' }, tags('k8s-name:a', 'k8s-uid:1')).extras,
    ).toEqual([]);
    expect(
      judge('services', { host: 'a' }, tags('k8s-name:a', 'x')).extras,
    ).toMatchObject([{ path: '/tags' }]);
  });

  it.each<[string, Json, Json, Json, string]>([
    [
      'the declaration, where others added something',
      tags('a', 'b'),
      tags('a', 'x'),
      tags('a'),
      'Pending',
    ],
    [
      'live, where it lost one and others added something',
      tags('a', 'b'),
      tags('a', 'x'),
      tags('a', 'b'),
      'Drifted',
    ],
    [
      'both, where each moved another one',
      tags('a', 'b', 'c'),
      tags('a'),
      tags('a', 'b'),
      'Drifted',
    ],
    [
      'the declaration of the first',
      tags('a'),
      { host: 'a' },
      { host: 'a' },
      'Pending',
    ],
  ])('were moved by %s', (_what, declared, live, agreed, verdict) => {
    const answer = judge('services', declared, live, { agreed });
    expect(answer.verdict).toBe(verdict);
    expect(answer.changes.map(change => change.path)).toEqual(['/tags']);
  });

  it('say that an object is not ours any more', () => {
    const gone = (mark: string, more: Partial<EvaluateInput>) =>
      judge('services', null, tags(mark), {
        agreed: tags('k8s-uid:ours'),
        ...more,
      }).rule;
    expect(gone('k8s-uid:ours', {})).toBe('orphaned');
    expect(gone('plain', { facts: { createdBefore: true } })).toBe('orphaned');
    for (const more of [
      { facts: { createdBefore: true } },
      { ownedBefore: ['/host'] },
    ]) {
      expect(gone('k8s-uid:theirs', more)).toBe('unmanaged');
    }
    expect(
      gone('k8s-uid:ours', { facts: { foreignOwner: { owner: 'x' } } }),
    ).toBe('unmanaged');
  });
});

describe('what our memory says that we set', () => {
  it('is known by the name that it has now', () => {
    const live = (config: Json) => ({ name: 'acl', config });
    const owned = (config: Json, ...ownedBefore: string[]) =>
      judge('plugins', { name: 'acl' }, live(config), {
        ownedBefore,
      }).changes.map(change => change.path);
    expect(owned({ allow: ['a'], x: 1 }, '/config/whitelist')).toEqual([
      '/config/allow',
    ]);
    expect(
      owned({ redis: { host: 'r', port: 1 } }, '/config/redis_host'),
    ).toEqual(['/config/redis/host']);
  });

  const kept: Json = { name: 'x', config: { a: 1, b: 2 } };

  it('counts as a whole, where a container is named', () => {
    const { changes } = judge('plugins', { name: 'x' }, kept, {
      ownedBefore: ['/config'],
    });
    expect(changes).toMatchObject([{ path: '/config', kind: 'leftover' }]);
  });
});
