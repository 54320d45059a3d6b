/** Resources: lists, details, history, and the actions on one of them. */
import {
  driftConflictResolvePermission,
  driftResourceCheckPermission,
  driftResourceReconcilePermission,
  type ApiActionResult,
  type ApiResourceDetail,
  type ApiSeen,
  type ApiSide,
  type ListResourcesQuery,
  type PageQuery,
  type ResourceRef,
} from '@plumbline/backstage-plugin-drift-common';
import { NotFoundError } from '@backstage/errors';
import type { BackstageCredentials } from '@backstage/backend-plugin-api';
import type { Router } from 'express';
import type { ResourceFilter } from '../store';
import { audited } from './audit';
import {
  presentDecision,
  presentDetail,
  presentEpisode,
  presentSummary,
} from './present';
import type { ApiContext } from './router';

export function addResourceRoutes(router: Router, context: ApiContext): void {
  const { access, store, actions, now } = context;

  router.get('/v1/resources', async (req, res) => {
    const credentials = await access.credentials(req, { services: true });
    const query = req.query as unknown as ListResourcesQuery & PageLimits;
    const at = now();
    const page = await store.listResources(
      { ...toFilter(query), visible: await access.visible(credentials) },
      { limit: query.limit, cursor: query.cursor },
      at,
    );
    res.json({
      ...page,
      items: page.items.map(view =>
        presentSummary(view, context.platformTitle(view.ref.platform), at),
      ),
    });
  });

  router.post('/v1/resources/by-ref', async (req, res) => {
    const credentials = await access.credentials(req, { services: true });
    const row = await store.getResourceByRef(req.body as ResourceRef);
    if (!row) {
      throw new NotFoundError(
        'No drift resource has this platform, kind, namespace and name (yet)',
      );
    }
    res.json(await detail(context, credentials, row.id));
  });

  router.get('/v1/resources/:id', async (req, res) => {
    const credentials = await access.credentials(req, { services: true });
    res.json(await detail(context, credentials, req.params.id));
  });

  router.get('/v1/resources/:id/episodes', async (req, res) => {
    const credentials = await access.credentials(req, { services: true });
    const { id } = await access.resource(credentials, req.params.id);
    const page = await store.listEpisodes(
      id,
      req.query as unknown as PageQuery & PageLimits,
    );
    res.json({ ...page, items: page.items.map(presentEpisode) });
  });

  router.get('/v1/resources/:id/decisions', async (req, res) => {
    const credentials = await access.credentials(req, { services: true });
    const { id } = await access.resource(credentials, req.params.id);
    const page = await store.listDecisions(
      id,
      req.query as unknown as PageQuery & PageLimits,
    );
    res.json({ ...page, items: page.items.map(presentDecision) });
  });

  router.post('/v1/resources/:id/check', async (req, res) => {
    const credentials = await access.credentials(req, { services: true });
    const { id } = req.params;
    await audited(
      context,
      {
        eventId: 'resource-check',
        request: req,
        meta: { id },
        severityLevel: 'low',
      },
      async add => {
        const { title } = await access.resource(
          credentials,
          id,
          driftResourceCheckPermission,
        );
        add({ title });
        await actions.check(id, access.actor(credentials));
      },
    );
    res.json(await detail(context, credentials, id));
  });

  router.post('/v1/check', async (req, res) => {
    const credentials = await access.credentials(req, { services: true });
    const { entity, platform } = req.body as {
      entity?: string;
      platform?: string;
    };
    const due = await audited(
      context,
      {
        eventId: 'resources-check',
        request: req,
        meta: { entity, platform },
        severityLevel: 'low',
      },
      async add => {
        const visible = await access.visible(
          credentials,
          driftResourceCheckPermission,
        );
        const brought = await store.bringForwardWhere(
          { entity, platform, visible },
          now(),
        );
        add({ due: brought });
        return brought;
      },
    );
    res.status(202).json({ due });
  });

  router.post('/v1/resources/:id/preview', async (req, res) => {
    const credentials = await access.credentials(req, { services: false });
    const { id } = req.params;
    const { side = 'declared', paths } = (req.body ?? {}) as {
      side?: ApiSide;
      paths?: string[];
    };
    const plan = await audited(
      context,
      {
        eventId: 'resource-preview',
        request: req,
        meta: { id },
        severityLevel: 'low',
      },
      async add => {
        // a preview reads both sides at the platform's cost: the same right as a check
        const { title } = await access.resource(
          credentials,
          id,
          driftResourceCheckPermission,
        );
        add({ title });
        return actions.preview(id, { side, paths }, access.actor(credentials));
      },
    );
    res.json(plan);
  });

  router.post('/v1/resources/:id/reconcile', async (req, res) => {
    const credentials = await access.credentials(req, { services: false });
    const { id } = req.params;
    const body = req.body as SeenBody;
    const outcome = await audited(
      context,
      { eventId: 'resource-reconcile', request: req, meta: { id } },
      async add => {
        const { title } = await access.resource(
          credentials,
          id,
          driftResourceReconcilePermission,
        );
        add({ title });
        return actions.reconcile(id, body, access.actor(credentials));
      },
    );
    const resource = await detail(context, credentials, id);
    res.json({ ...outcome, resource } satisfies ApiActionResult);
  });

  router.post('/v1/resources/:id/keep-live', async (req, res) => {
    const credentials = await access.credentials(req, { services: false });
    const { id } = req.params;
    const body = req.body as SeenBody;
    const outcome = await audited(
      context,
      { eventId: 'resource-keep-live', request: req, meta: { id } },
      async add => {
        const { title } = await access.resource(
          credentials,
          id,
          driftConflictResolvePermission,
        );
        add({ title });
        return actions.keepLive(id, body, access.actor(credentials));
      },
    );
    const resource = await detail(context, credentials, id);
    res.json({ ...outcome, resource } satisfies ApiActionResult);
  });
}

/** The validator has filled in the default limit. */
export interface PageLimits {
  limit: number;
}

interface SeenBody {
  seen: ApiSeen;
  paths?: string[];
  note?: string;
}

/** One resource with everything that a person may see of it. */
export async function detail(
  context: ApiContext,
  credentials: BackstageCredentials,
  id: string,
): Promise<ApiResourceDetail> {
  const { access, store, actions } = context;
  const view = await access.resource(credentials, id);
  const [states, kept, episode, conflict] = await Promise.all([
    store.getStates(id),
    store.getKept(id),
    store.getOpenEpisode(id),
    store.getOpenConflict(id),
  ]);
  return presentDetail(view, {
    platformTitle: context.platformTitle(view.ref.platform),
    now: context.now(),
    states,
    kept,
    episode,
    conflict,
    liveLink:
      view.liveKey && view.liveId
        ? actions.link(view.ref.platform, {
            key: view.liveKey,
            id: view.liveId,
          })
        : undefined,
  });
}

function toFilter(query: ListResourcesQuery): ResourceFilter {
  return {
    entity: query.entity,
    owner: query.owner,
    platform: query.platform,
    kinds: query.kind,
    namespace: query.namespace,
    verdicts: query.verdict,
    unassigned: query.unassigned,
    q: query.q,
  };
}
