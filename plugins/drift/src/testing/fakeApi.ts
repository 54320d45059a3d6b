/** The drift API in memory, behind `fetch`: for tests, and for `dev/`. It keeps the API's promises (409, paging, filters). */
import type {
  ApiConflict,
  ApiFieldChange,
  ApiFleet,
  ApiPlan,
  ApiPolicyRuleInput,
  ApiResourceDetail,
  ApiResourceSummary,
  ApiSeen,
  ApiSide,
  ApiSummary,
} from '@plumbline/backstage-plugin-drift-common';
import {
  conflicts,
  decisions,
  episodes,
  platforms,
  policies,
  resources,
} from './fixtures';

class HttpError extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

/** What the bodies of the operations hold, all in one: each handler reads its own part. */
interface Body {
  seen: ApiSeen;
  choice: ApiSide;
  side?: ApiSide;
  paths?: string[];
  conflicts: { id: string; seen: ApiSeen }[];
}

type Handler = (call: {
  params: string[];
  query: URLSearchParams;
  body: Body;
}) => unknown;

/** What a test may order: an answer of its own for an operation, for example `GET /v1/fleet`. */
type Fault = { status: number; message: string } | { never: true };

export class FakeDriftApi {
  resources: ApiResourceDetail[];
  conflicts: ApiConflict[];
  policies: ReturnType<typeof policies>;
  platforms: ReturnType<typeof platforms>;
  episodes: ReturnType<typeof episodes>;
  decisions: ReturnType<typeof decisions>;
  timeToDetectSeconds?: ApiFleet['timeToDetectSeconds'];
  timeToCorrectSeconds?: ApiFleet['timeToCorrectSeconds'];
  /** Operation and body of every call, in order. */
  readonly calls: { operation: string; path: string; body: unknown }[] = [];
  readonly #faults = new Map<string, Fault>();

  /** @param now - a little ago, so that "5 min ago" does not begin as 4 on a clock that ticks in seconds */
  constructor(now: number = Date.now() - 2_000) {
    this.resources = resources(now);
    this.conflicts = conflicts(now);
    this.policies = policies(now);
    this.platforms = platforms(now);
    this.episodes = episodes(now);
    this.decisions = decisions(now);
  }

  /** From now on the operation answers with an error, or never. */
  fail(operation: string, fault: Fault): void {
    this.#faults.set(operation, fault);
  }

  heal(operation: string): void {
    this.#faults.delete(operation);
  }

  /** Somebody edits the live side meanwhile: what anybody saw before no longer holds. */
  moveLive(resourceId: string, message: string): void {
    const item = this.#resource(resourceId);
    item.seen = { ...item.seen, live: `${item.seen.live}+` };
    item.message = message;
    for (const conflict of this.conflicts) {
      if (conflict.resourceId === resourceId) {
        conflict.seen = item.seen;
        conflict.question = message;
      }
    }
  }

  /** How often an operation was called. */
  count(operation: string): number {
    return this.calls.filter(call => call.operation === operation).length;
  }

  lastBody(operation: string): unknown {
    return this.calls.filter(call => call.operation === operation).at(-1)?.body;
  }

  readonly fetch: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url.replace('plugin://drift', 'http://drift'));
    const path = url.pathname.replace(/^\/api\/drift/, '');
    const text = await request.text();
    const body: Body = text ? JSON.parse(text) : undefined;
    for (const [operation, handler] of this.#handlers) {
      const params = match(operation, request.method, path);
      if (!params) continue;
      this.calls.push({ operation, path, body });
      const fault = this.#faults.get(operation);
      if (fault && 'never' in fault) return new Promise<never>(() => {});
      if (fault) return errorResponse(fault.status, fault.message);
      try {
        return toResponse(handler({ params, query: url.searchParams, body }));
      } catch (error) {
        if (error instanceof HttpError) {
          return errorResponse(error.status, error.message);
        }
        throw error;
      }
    }
    return errorResponse(404, `No operation ${request.method} ${path}`);
  };

  readonly #handlers: [operation: string, handler: Handler][] = [
    ['GET /v1/summary', ({ query }) => this.#summary(query)],
    ['GET /v1/resources', ({ query }) => this.#list(query)],
    ['GET /v1/resources/*', ({ params: [id] }) => this.#resource(id)],
    [
      'POST /v1/resources/*/check',
      ({ params: [id] }) => {
        const item = this.#resource(id);
        item.verifiedAt = new Date().toISOString();
        return item;
      },
    ],
    ['POST /v1/check', () => ({ due: this.resources.length })],
    [
      'POST /v1/resources/*/preview',
      ({ params: [id], body }) => this.#plan(id, body),
    ],
    [
      'POST /v1/resources/*/reconcile',
      ({ params: [id], body }) => {
        const item = this.#seen(id, body);
        this.#settle(item, body.paths);
        return {
          applied: true,
          message: 'Written, and a fresh read shows it.',
          resource: item,
        };
      },
    ],
    [
      'POST /v1/resources/*/keep-live',
      ({ params: [id], body }) => {
        const item = this.#seen(id, body);
        this.#keep(item, body.paths);
        return {
          applied: true,
          message: 'The live values are kept.',
          resource: item,
        };
      },
    ],
    [
      'GET /v1/resources/*/episodes',
      ({ params: [id] }) => ({
        items: this.episodes.filter(item => item.resourceId === id),
      }),
    ],
    ['GET /v1/resources/*/decisions', () => ({ items: this.decisions })],
    ['GET /v1/conflicts', ({ query }) => this.#queue(query)],
    ['GET /v1/conflicts/*', ({ params: [id] }) => this.#conflict(id)],
    [
      'POST /v1/conflicts/*/resolve',
      ({ params: [id], body }) => this.#resolve(id, body),
    ],
    [
      'POST /v1/conflicts/resolve-many',
      ({ body }) => ({
        results: body.conflicts.map(({ id, seen }) => {
          try {
            const result = this.#resolve(id, { choice: body.choice, seen });
            return { id, applied: true, message: result.message };
          } catch (error) {
            if (!(error instanceof HttpError)) throw error;
            return { id, applied: false, message: error.message };
          }
        }),
      }),
    ],
    ['GET /v1/fleet', () => this.#fleet()],
    ['GET /v1/policies', () => ({ items: this.policies })],
    [
      'POST /v1/policies',
      ({ body }) => {
        const rule = {
          ...(body as unknown as ApiPolicyRuleInput),
          id: `p-${this.policies.length + 1}`,
          origin: 'portal' as const,
          by: 'user:default/guest',
          createdAt: new Date().toISOString(),
        };
        this.policies = [...this.policies, rule];
        return rule;
      },
    ],
    [
      'DELETE /v1/policies/*',
      ({ params: [id] }) => {
        this.policies = this.policies.filter(rule => rule.id !== id);
        return undefined;
      },
    ],
  ];

  #resource(id: string): ApiResourceDetail {
    const item = this.resources.find(each => each.id === id);
    if (!item) throw new HttpError(404, `No resource ${id}`);
    return item;
  }

  #conflict(id: string): ApiConflict {
    const item = this.conflicts.find(each => each.id === id);
    if (!item) throw new HttpError(404, `No conflict ${id}`);
    return item;
  }

  #seen(id: string, { seen, paths = [] }: Body): ApiResourceDetail {
    const item = this.#resource(id);
    const isSame =
      seen.live === item.seen.live &&
      seen.declared === item.seen.declared &&
      paths.every(path => item.changes.some(change => change.path === path));
    if (!isSame) throw new HttpError(409, 'The live side moved since.');
    return item;
  }

  #settle(item: ApiResourceDetail, paths?: string[]): void {
    const rest = item.changes.filter(change => staysAfter(change, paths));
    if (rest.length > 0) {
      item.changes = rest;
      item.fields = rest.length;
      return;
    }
    Object.assign(item, {
      verdict: 'InSync',
      reason: 'Verified',
      message: 'Every declared field equals its live value.',
      since: new Date().toISOString(),
      verifiedAt: new Date().toISOString(),
      changes: [],
      fields: 0,
      openConflictId: undefined,
    });
  }

  #keep(item: ApiResourceDetail, paths?: string[]): void {
    const changes = item.changes.map(change =>
      isNamed(change, paths) ? { ...change, kept: true } : change,
    );
    if (!changes.every(change => change.kept)) {
      item.changes = changes;
      return;
    }
    Object.assign(item, {
      verdict: 'Drifted',
      reason: 'KeptLive',
      message: 'A person decided to keep the live values.',
      changes,
      openConflictId: undefined,
    });
  }

  #resolve(id: string, body: { choice: ApiSide; seen: ApiSeen }) {
    const conflict = this.#conflict(id);
    if (
      body.seen.live !== conflict.seen.live ||
      body.seen.declared !== conflict.seen.declared
    ) {
      throw new HttpError(409, 'Live moved since.');
    }
    const item = this.#resource(conflict.resourceId);
    if (body.choice === 'declared') this.#settle(item);
    else this.#keep(item);
    Object.assign(conflict, {
      status: 'resolved',
      choice: body.choice,
      resolvedBy: 'user:default/guest',
      resolvedAt: new Date().toISOString(),
      outcome: 'Done as chosen.',
    });
    return { applied: true, message: 'Done as chosen.', resource: item };
  }

  #plan(id: string, { side, paths }: Partial<Body> = {}): ApiPlan {
    const item = this.#resource(id);
    const stays = (change: ApiFieldChange) =>
      side === 'live'
        ? isNamed(change, paths) || change.kept || change.contested
        : staysAfter(change, paths);
    const written = item.changes.filter(change => !stays(change));
    const isObserved = item.policy.mode === 'observe';
    const isHeld =
      isObserved || item.verdict === 'Blocked' || item.verdict === 'Contested';
    const whyHeld = isObserved
      ? 'A person chose the declared side, but the mode is observe, which never writes: set it to ask or enforce.'
      : item.message;
    return {
      resourceId: id,
      verdict: item.verdict,
      action: isHeld ? 'hold' : planAction(item, written.length),
      rule: 'person.declared',
      message: isHeld
        ? whyHeld
        : `${written.length} fields are put back to what is declared.`,
      seen: item.seen,
      writes: isHeld
        ? []
        : written.map(change => ({
            path: change.path,
            operation:
              change.kind === 'leftover'
                ? ('remove' as const)
                : ('set' as const),
            from: change.live,
            to: change.declared,
            secret: change.secret,
          })),
      before: item.live,
      after: isHeld ? item.live : item.declared,
      kept: item.changes
        .filter(change => isHeld || stays(change))
        .map(change => change.path),
      guards: [
        {
          guard: 'writeBudget',
          holds: false,
          message: '2 of 10 writes of this minute are used.',
        },
        ...(isHeld && !isObserved
          ? [{ guard: 'mayWrite', holds: true, message: item.message }]
          : []),
      ],
    };
  }

  #filtered(query: URLSearchParams): ApiResourceDetail[] {
    const verdicts = query.getAll('verdict');
    const kinds = query.getAll('kind');
    const is = (name: string, value: string | undefined) =>
      !query.has(name) || query.get(name) === value;
    return this.resources.filter(
      item =>
        (!query.has('entity') ||
          item.entities.includes(query.get('entity')!)) &&
        is('owner', item.owner) &&
        is('platform', item.ref.platform) &&
        (verdicts.length === 0 || verdicts.includes(item.verdict)) &&
        (kinds.length === 0 || kinds.includes(item.ref.kind)) &&
        (query.get('unassigned') !== 'true' || item.entities.length === 0) &&
        item.title.includes(query.get('q') ?? ''),
    );
  }

  #list(query: URLSearchParams) {
    return page(this.#filtered(query).map(toSummary), query);
  }

  #queue(query: URLSearchParams) {
    const status = query.get('status') ?? 'open';
    const items = this.conflicts.filter(
      item =>
        item.status === status &&
        (query.get('mine') !== 'true' ||
          item.owner === 'group:default/team-shop') &&
        (!query.has('kindOfQuestion') ||
          item.kindOfQuestion === query.get('kindOfQuestion')),
    );
    return page(items, query);
  }

  #summary(query: URLSearchParams): ApiSummary {
    return this.#count(this.#filtered(query));
  }

  #count(items: ApiResourceDetail[]): ApiSummary {
    const used = new Set(items.map(item => item.ref.platform));
    const unavailable = this.platforms.filter(
      item =>
        item.status === 'unreachable' && (used.has(item.id) || !items.length),
    );
    const verified = items.flatMap(item => item.verifiedAt ?? []).sort();
    return {
      total: items.length,
      byVerdict: countBy(items),
      openConflicts: items.filter(item => item.openConflictId).length,
      verifiedAt: verified[0],
      oldestDriftSince: oldestDrift(items),
      unavailable,
    };
  }

  #fleet(): ApiFleet {
    const owners = new Map<string | undefined, ApiResourceDetail[]>();
    const byPlatform = new Map<string, ApiResourceDetail[]>();
    for (const item of this.resources) {
      owners.set(item.owner, [...(owners.get(item.owner) ?? []), item]);
      const { platform } = item.ref;
      byPlatform.set(platform, [...(byPlatform.get(platform) ?? []), item]);
    }
    return {
      summary: this.#count(this.resources),
      timeToDetectSeconds: this.timeToDetectSeconds,
      timeToCorrectSeconds: this.timeToCorrectSeconds,
      byOwner: [...owners].map(([owner, items]) => ({
        owner,
        total: items.length,
        byVerdict: countBy(items),
        oldestDriftSince: oldestDrift(items),
      })),
      byPlatform: [...byPlatform].map(([platform, items]) => ({
        platform,
        title: items[0].platformTitle,
        total: items.length,
        byVerdict: countBy(items),
      })),
      platforms: this.platforms,
    };
  }
}

function isNamed(change: ApiFieldChange, paths: string[] | undefined): boolean {
  return !paths || paths.includes(change.path);
}

// Under enforce: what was not named is put back by policy, unless somebody keeps it.
function staysAfter(
  change: ApiFieldChange,
  paths: string[] | undefined,
): boolean {
  if (change.contested) return true;
  return !isNamed(change, paths) && change.kept === true;
}

function planAction(
  item: ApiResourceDetail,
  writes: number,
): ApiPlan['action'] {
  if (item.verdict === 'Missing') return 'create';
  if (item.verdict === 'Orphaned') return 'delete';
  if (item.policy.actuator === 'operator') return 'nudge';
  return writes > 0 ? 'update' : 'none';
}

function toSummary(item: ApiResourceDetail): ApiResourceSummary {
  const { id, ref, title, platformTitle, verdict, reason, message } = item;
  const { since, verifiedAt, stale, fields, entities, owner } = item;
  const { policy, openConflictId, next } = item;
  return {
    ...{ id, ref, title, platformTitle, verdict, reason, message },
    ...{ since, verifiedAt, stale, fields, entities, owner },
    ...{ policy, openConflictId, next },
  };
}

function countBy(items: ApiResourceDetail[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { verdict } of items) counts[verdict] = (counts[verdict] ?? 0) + 1;
  return counts;
}

function oldestDrift(items: ApiResourceDetail[]): string | undefined {
  return items
    .filter(item => item.fields > 0)
    .map(item => item.since)
    .sort()[0];
}

function page<T>(items: T[], query: URLSearchParams) {
  const limit = Number(query.get('limit') ?? 50);
  const start = Number(query.get('cursor') ?? 0);
  const end = start + limit;
  return {
    items: items.slice(start, end),
    total: items.length,
    ...(end < items.length && { nextCursor: String(end) }),
  };
}

function match(
  operation: string,
  method: string,
  path: string,
): string[] | undefined {
  const [wantedMethod, pattern] = operation.split(' ');
  if (method !== wantedMethod) return undefined;
  const wanted = pattern.split('/');
  const parts = path.split('/');
  if (wanted.length !== parts.length) return undefined;
  const params: string[] = [];
  for (const [index, part] of parts.entries()) {
    if (wanted[index] === '*') params.push(decodeURIComponent(part));
    else if (wanted[index] !== part) return undefined;
  }
  return params;
}

function toResponse(answer: unknown): Response {
  if (answer === undefined) return new Response(null, { status: 204 });
  return new Response(JSON.stringify(answer), {
    headers: { 'content-type': 'application/json' },
  });
}

function errorResponse(status: number, message: string): Response {
  return new Response(
    JSON.stringify({
      error: { name: status === 409 ? 'ConflictError' : 'Error', message },
      response: { statusCode: status },
    }),
    { status, headers: { 'content-type': 'application/json' } },
  );
}
