import { ConfigReader } from '@backstage/config';
import type { JsonObject } from '@backstage/types';
import { readKonnectConfig } from './config';

const ID = '11111111-2222-4333-8444-555555555555';

function read(...controlPlanes: JsonObject[]) {
  return readKonnectConfig(
    new ConfigReader({ drift: { konnect: { controlPlanes } } }),
  );
}

const good = {
  id: 'prod',
  serverUrl: 'eu.api.example.com',
  controlPlaneId: ID,
  token: 'kpat_secret',
};

describe('readKonnectConfig', () => {
  it('reads nothing where nothing is configured', () => {
    expect(readKonnectConfig(new ConfigReader({}))).toEqual([]);
  });

  it('fills in defaults and takes a bare host name for https', () => {
    expect(read(good)).toEqual([
      {
        id: 'prod',
        platformId: 'konnect/prod',
        title: 'Konnect prod',
        serverUrl: 'https://eu.api.example.com',
        controlPlaneId: ID,
        controlPlaneName: undefined,
        token: 'kpat_secret',
        requestsPerMinute: 1000,
        pageSize: 1000,
        requestTimeoutMs: 30_000,
        probeEveryMs: 30_000,
      },
    ]);
  });

  it('takes http for this machine only', () => {
    const [local] = read({ ...good, serverUrl: 'http://127.0.0.1:8001/' });
    expect(local.serverUrl).toBe('http://127.0.0.1:8001');
    expect(() => read({ ...good, serverUrl: 'http://example.com' })).toThrow(
      "drift.konnect.controlPlanes[0].serverUrl is 'http://example.com': http:// would send the token in clear",
    );
  });

  it.each([
    ['id', 'a/b', "[0].id is 'a/b': write letters"],
    ['serverUrl', 'ftp://x', "[0].serverUrl is 'ftp://x': write the API"],
    ['serverUrl', 'https://x.example/v2', 'leave out the version'],
    ['controlPlaneId', 'prod', "[0].controlPlaneId is 'prod': write the UUID"],
    ['pageSize', 1001, '[0].pageSize is 1001: write a whole number from 1 to'],
    ['pageSize', 'many', "[0].pageSize is 'many': write a whole number"],
    ['requestsPerMinute', 0.5, '[0].requestsPerMinute is 0.5: write a whole'],
    [
      'requestTimeout',
      'soon',
      "[0].requestTimeout is 'soon': write a duration",
    ],
    ['requestTimeout', '1h', "[0].requestTimeout is '1h': write a duration"],
    ['probeInterval', 'now', "[0].probeInterval is 'now': write a duration"],
    ['probeInterval', '500ms', "[0].probeInterval is '500ms': write a"],
    ['probeInterval', true, '[0].probeInterval is true: write a duration'],
    ['title', 5, '[0].title is 5: write a text'],
  ])(
    'names the key, the value and the remedy: %s %p',
    (key, value, message) => {
      expect(() => read({ ...good, [key]: value })).toThrow(message);
    },
  );

  it.each([
    ['off', undefined],
    [false, undefined],
    ['2m', 120_000],
    [{ seconds: 5 }, 5_000],
  ])(
    'takes %p for the interval of the probe',
    (probeInterval, probeEveryMs) => {
      expect(read({ ...good, probeInterval })).toMatchObject([
        { probeEveryMs },
      ]);
    },
  );

  it('wants exactly one of id and name of the control plane', () => {
    const { controlPlaneId, ...neither } = good;
    expect(() => read(neither)).toThrow('[0].controlPlaneId is missing');
    expect(() => read({ ...good, controlPlaneName: 'prod' })).toThrow(
      'keep one of them',
    );
    expect(read({ ...neither, controlPlaneName: 'prod' })).toHaveLength(1);
    expect(controlPlaneId).toBe(ID);
  });

  it('refuses the same id and the same control plane twice', () => {
    expect(() =>
      read(good, { ...good, serverUrl: 'us.api.example.com' }),
    ).toThrow("[1] has the id 'prod', as drift.konnect.controlPlanes[0] does");
    expect(() => read(good, { ...good, id: 'other' })).toThrow(
      '[1] has the same control plane',
    );
  });

  it('lists everything that is wrong and never shows a token', () => {
    const attempt = () =>
      read({
        id: '',
        serverUrl: 'https://user:hunter2@x.example',
        controlPlaneId: ID,
        token: 'kpat_geheim with a blank',
        pageSize: -1,
      });
    expect(attempt).toThrow(/\.id is[\s\S]*serverUrl[\s\S]*pageSize/);
    expect(attempt).toThrow('token is');
    expect(attempt).not.toThrow(/geheim|hunter2/);
  });

  it('says what is missing', () => {
    expect(() => read({})).toThrow(
      /\.id is missing[\s\S]*\.token is missing[\s\S]*\.serverUrl is missing/,
    );
    expect(() =>
      readKonnectConfig(
        new ConfigReader({ drift: { konnect: { controlPlanes: 'prod' } } }),
      ),
    ).toThrow('drift.konnect.controlPlanes is no list');
  });
});
