/** Counts for an entity and for the fleet, and how the platforms and sources are. */
import type {
  ApiFleet,
  ApiPlatformStatus,
  SummaryQuery,
} from '@plumbline/backstage-plugin-drift-common';
import type { Router } from 'express';
import type { ResourceFilter, ScopeRow } from '../store';
import { iso, presentCounts } from './present';
import type { ApiContext } from './router';

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
    const [all, byOwner, byPlatform, platforms] = await Promise.all([
      summary(filter),
      store.countByVerdict(filter, now(), 'owner'),
      store.countByVerdict(filter, now(), 'platform'),
      statuses(),
    ]);
    const fleet: ApiFleet = {
      summary: all,
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
      requestsLeft: left && Math.max(0, Math.floor(left.tokens)),
    } as ApiPlatformStatus;
  }
}
