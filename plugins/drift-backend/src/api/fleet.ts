/** Counts for an entity and for the fleet, and how the platforms and sources are. */
import type {
  ApiFleet,
  ApiPlatformStatus,
  SummaryQuery,
} from '@plumbline/backstage-plugin-drift-common';
import type { Router } from 'express';
import { requestsLeft } from '../loop/budget';
import type { ResourceFilter, ScopeRow, Spread } from '../store';
import { iso, presentCounts } from './present';
import type { ApiContext } from './router';

const DAY_MS = 24 * 60 * 60_000;

function seconds({ median, p95 }: Spread): Spread {
  return { median: median / 1000, p95: p95 / 1000 };
}

export function addFleetRoutes(router: Router, context: ApiContext): void {
  const { access, store, now } = context;

  router.get('/v1/summary', async (req, res) => {
    const credentials = await access.credentials(req, { services: true });
    const { entity, owner, platform } = req.query as unknown as SummaryQuery;
    res.json(
      await summary({
        entity,
        owner,
        platform,
        visible: await access.visible(credentials),
      }),
    );
  });

  router.get('/v1/fleet', async (req, res) => {
    const credentials = await access.credentials(req, { services: true });
    const filter = { visible: await access.visible(credentials) };
    const at = now();
    const [all, byOwner, byPlatform, platforms, times] = await Promise.all([
      summary(filter),
      store.countByVerdict(filter, now(), 'owner'),
      store.countByVerdict(filter, now(), 'platform'),
      statuses(),
      store.episodeTimes(filter, { since: at - DAY_MS, now: at }),
    ]);
    const fleet: ApiFleet = {
      summary: all,
      ...(times.detect ? { timeToDetectSeconds: seconds(times.detect) } : {}),
      ...(times.correct
        ? { timeToCorrectSeconds: seconds(times.correct) }
        : {}),
      byOwner: byOwner.map(({ group, ...counts }) => ({
        ...(group === undefined ? {} : { owner: group }),
        total: counts.total,
        byVerdict: counts.byVerdict,
        ...(counts.oldestDriftSince === undefined
          ? {}
          : { oldestDriftSince: iso(counts.oldestDriftSince) }),
      })),
      byPlatform: byPlatform.map(({ group = '', ...counts }) => ({
        platform: group,
        title: context.platformTitle(group),
        total: counts.total,
        byVerdict: counts.byVerdict,
      })),
      platforms: platforms.map(one => ({
        ...one,
        ...(one.kind === 'platform'
          ? {
              resources:
                byPlatform.find(counts => counts.group === one.id)?.total ?? 0,
            }
          : {}),
      })),
    };
    res.json(fleet);
  });

  async function summary(filter: ResourceFilter) {
    const [[counts], conflicts, platforms] = await Promise.all([
      store.countByVerdict(filter, now()),
      store.listConflicts({ ...filter, status: 'open' }, { limit: 1 }),
      statuses(),
    ]);
    const unavailable = platforms.filter(
      one => one.status !== 'ok' || one.lastCompleteAt === undefined,
    );
    return {
      ...presentCounts(counts ?? { byVerdict: {}, total: 0 }, conflicts.total),
      ...(unavailable.length ? { unavailable } : {}),
    };
  }

  async function statuses(): Promise<ApiPlatformStatus[]> {
    const scopes = await store.listScopes();
    return Promise.all(scopes.map(status));
  }

  async function status(scope: ScopeRow): Promise<ApiPlatformStatus> {
    const budget = context
      .platforms()
      .find(platform => platform.id === scope.id);
    const left = budget && (await store.readBudget(scope.id));
    return {
      id: scope.id,
      title: scope.title,
      kind: scope.kind,
      status: scope.status,
      message: scope.message,
      lastCompleteAt: scope.lastCompleteAt && iso(scope.lastCompleteAt),
      lastTriedAt: scope.lastTriedAt && iso(scope.lastTriedAt),
      sweepMilliseconds: scope.sweepMilliseconds,
      requestsPerMinute: budget?.requestsPerMinute,
      requestsLeft: budget && left && requestsLeft(left, budget, now()),
    } as ApiPlatformStatus;
  }
}
