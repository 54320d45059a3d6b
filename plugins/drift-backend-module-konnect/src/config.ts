/** Reads `drift.konnect` and says of every wrong value which key it is, what stands there, and what to write instead. */
import { readDurationFromConfig, type Config } from '@backstage/config';
import { InputError } from '@backstage/errors';
import { durationToMilliseconds } from '@backstage/types';

/** One configured control plane. */
export interface ControlPlaneConfig {
  id: string;
  /** `konnect/<id>` */
  platformId: string;
  title: string;
  /** Without a slash at the end. */
  serverUrl: string;
  controlPlaneId?: string;
  controlPlaneName?: string;
  token: string;
  requestsPerMinute: number;
  pageSize: number;
  requestTimeoutMs: number;
  /** Absent: nobody asks. */
  probeEveryMs?: number;
}

const ROOT = 'drift.konnect.controlPlanes';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const ID = /^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/i;
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * @returns the control planes, none where nothing is configured.
 * @throws InputError that lists everything that is wrong.
 */
export function readKonnectConfig(config: Config): ControlPlaneConfig[] {
  if (!config.has(ROOT)) {
    return [];
  }
  if (!Array.isArray(config.getOptional(ROOT))) {
    throw new InputError(
      `${ROOT} is no list: write one entry for each control plane, each with id, serverUrl, controlPlaneId and token`,
    );
  }
  const problems: string[] = [];
  const entries = config
    .getConfigArray(ROOT)
    .map((entry, index) => readEntry(entry, `${ROOT}[${index}]`, problems));
  for (const key of ['id', 'controlPlane'] as const) {
    const seen = new Map<string, number>();
    entries.forEach((entry, index) => {
      const value = key === 'id' ? entry.id : controlPlaneKey(entry);
      const earlier = value ? seen.get(value) : undefined;
      if (earlier !== undefined) {
        const what =
          key === 'id' ? `the id '${value}'` : 'the same control plane';
        problems.push(
          `${ROOT}[${index}] has ${what}, as ${ROOT}[${earlier}] does: keep one of them`,
        );
      } else if (value) {
        seen.set(value, index);
      }
    });
  }
  if (problems.length > 0) {
    throw new InputError(
      `The configuration of Konnect is wrong:\n${problems
        .map(problem => `- ${problem}`)
        .join('\n')}`,
    );
  }
  return entries;
}

function controlPlaneKey(entry: ControlPlaneConfig): string | undefined {
  const which = entry.controlPlaneId ?? entry.controlPlaneName;
  return which && `${entry.serverUrl} ${which}`.toLowerCase();
}

function readEntry(
  entry: Config,
  where: string,
  problems: string[],
): ControlPlaneConfig {
  const wrong = (key: string, value: unknown, remedy: string) => {
    problems.push(`${where}.${key} is ${show(value)}: ${remedy}`);
  };
  const text = (key: string): string | undefined => {
    const value = entry.getOptional(key);
    if (value === undefined || value === null) {
      return undefined;
    }
    if (typeof value !== 'string' || value.trim() === '') {
      wrong(key, key === 'token' ? hidden(value) : value, 'write a text');
      return undefined;
    }
    return value.trim();
  };
  const whole = (key: string, fallback: number, max: number): number => {
    const value = entry.getOptional(key);
    const number = typeof value === 'string' ? Number(value) : value;
    if (value === undefined || value === null) {
      return fallback;
    }
    if (
      typeof number !== 'number' ||
      !Number.isInteger(number) ||
      number < 1 ||
      number > max
    ) {
      wrong(key, value, `write a whole number from 1 to ${max}`);
      return fallback;
    }
    return number;
  };

  const id = text('id');
  if (id === undefined) {
    problems.push(
      `${where}.id is missing: give the control plane a short name`,
    );
  } else if (!ID.test(id)) {
    wrong('id', id, "write letters, digits, '.', '_' and '-' only");
  }
  const controlPlaneId = text('controlPlaneId');
  const controlPlaneName = text('controlPlaneName');
  if (controlPlaneId && !UUID.test(controlPlaneId)) {
    wrong(
      'controlPlaneId',
      controlPlaneId,
      'write the UUID that Konnect shows for the control plane, or its name as controlPlaneName',
    );
  }
  if ((controlPlaneId === undefined) === (controlPlaneName === undefined)) {
    problems.push(
      controlPlaneId
        ? `${where} has controlPlaneId and controlPlaneName: keep one of them`
        : `${where}.controlPlaneId is missing: write the control plane's id, or its name as controlPlaneName`,
    );
  }
  const token = text('token');
  if (token === undefined && !entry.has('token')) {
    problems.push(
      `${where}.token is missing: write an access token of Konnect, best as a reference such as \${KONNECT_TOKEN}`,
    );
  } else if (token !== undefined && /[^\x21-\x7e]/.test(token)) {
    wrong('token', hidden(token), 'it has characters that no token has');
  }
  return {
    id: id ?? '',
    platformId: `konnect/${id}`,
    title: text('title') ?? `Konnect ${id}`,
    serverUrl: readServerUrl(entry, text, where, problems),
    controlPlaneId: controlPlaneId?.toLowerCase(),
    controlPlaneName,
    token: token ?? '',
    requestsPerMinute: whole('requestsPerMinute', 1000, 1_000_000),
    pageSize: whole('pageSize', 1000, 1000),
    requestTimeoutMs: readDuration(entry, where, problems, {
      key: 'requestTimeout',
      fallback: 30_000,
      min: 1,
      max: 10 * 60_000,
      remedy:
        'write a duration from 1 millisecond to 10 minutes, such as 30s or {seconds: 30}',
    }),
    probeEveryMs: ['off', false].includes(
      entry.getOptional<string | boolean>('probeInterval') ?? '',
    )
      ? undefined
      : readDuration(entry, where, problems, {
          key: 'probeInterval',
          fallback: 30_000,
          min: 1000,
          max: 60 * 60_000,
          remedy:
            'write a duration from 1 second to 1 hour, such as 30s or {seconds: 30}, or off',
        }),
  };
}

function readServerUrl(
  entry: Config,
  text: (key: string) => string | undefined,
  where: string,
  problems: string[],
): string {
  const given = text('serverUrl');
  const remedy =
    'write the API of its region, https://… or a bare host name (http:// only for localhost)';
  if (given === undefined) {
    if (!entry.has('serverUrl')) {
      problems.push(`${where}.serverUrl is missing: ${remedy}`);
    }
    return '';
  }
  const full = given.includes('://') ? given : `https://${given}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  const wrong = (why: string) => {
    // A user name or password in the address is a secret too.
    const shown = url?.password || url?.username ? hidden(given) : given;
    problems.push(`${where}.serverUrl is ${show(shown)}: ${why}`);
    return '';
  };
  if (!url || !['https:', 'http:'].includes(url.protocol)) {
    return wrong(remedy);
  }
  if (url.protocol === 'http:' && !LOOPBACK.includes(url.hostname)) {
    return wrong(
      'http:// would send the token in clear; use https://, http:// is for localhost only',
    );
  }
  if (url.username || url.password || url.search || url.hash) {
    return wrong('leave out user name, password, query and fragment');
  }
  if (/\/v\d+\/?$/.test(url.pathname)) {
    return wrong('leave out the version of the API at its end');
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

function readDuration(
  entry: Config,
  where: string,
  problems: string[],
  wanted: {
    key: string;
    /** This and the limits are milliseconds. */
    fallback: number;
    min: number;
    max: number;
    remedy: string;
  },
): number {
  const { key, fallback, min, max, remedy } = wanted;
  const value = entry.getOptional(key);
  if (value === undefined || value === null) {
    return fallback;
  }
  const wrong = `${where}.${key} is ${show(value)}: ${remedy}`;
  try {
    const ms = durationToMilliseconds(readDurationFromConfig(entry, { key }));
    if (ms >= min && ms <= max) {
      return ms;
    }
    problems.push(wrong);
  } catch (error) {
    // What is wrong inside a duration is said by the reader; the key and the remedy are ours.
    const why = error instanceof Error ? ` (${error.message})` : '';
    problems.push(`${wrong}${why}`);
  }
  return fallback;
}

function show(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
}

function hidden(value: unknown): string {
  return `(a ${typeof value}, not shown)`;
}
