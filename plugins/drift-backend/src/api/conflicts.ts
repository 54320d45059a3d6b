/** The conflict queue: what waits for a person, and the answers. */
import {
  driftConflictResolvePermission,
  type ApiActionResult,
  type ApiSeen,
  type ApiSide,
  type ListConflictsQuery,
} from '@plumbline/backstage-plugin-drift-common';
import { isError, NotFoundError } from '@backstage/errors';
import type { BackstageCredentials } from '@backstage/backend-plugin-api';
import type { Router } from 'express';
import { audited } from './audit';
import { presentConflict } from './present';
import { detail, type PageLimits } from './resources';
import type { ApiContext } from './router';

export function addConflictRoutes(router: Router, context: ApiContext): void {
  const { access, store, actions } = context;

  router.get('/v1/conflicts', async (req, res) => {
    const credentials = await access.credentials(req, { services: true });
    const query = req.query as unknown as ListConflictsQuery & PageLimits;
    const page = await store.listConflicts(
      {
        status: query.status ?? 'open',
        entity: query.entity,
        owner: query.owner,
        platform: query.platform,
        kindOfQuestion: query.kindOfQuestion,
        ...(query.mine
          ? { owners: await access.ownershipRefs(credentials) }
          : {}),
        visible: await access.visible(credentials),
      },
      { limit: query.limit, cursor: query.cursor },
    );
    res.json({
      ...page,
      items: page.items.map(({ resource, ...conflict }) =>
        presentConflict(
          conflict,
          resource,
          context.platformTitle(resource.ref.platform),
        ),
      ),
    });
  });

  // before /:id, which would take it for an id
  router.post('/v1/conflicts/resolve-many', async (req, res) => {
    const credentials = await access.credentials(req, { services: false });
    const { choice, conflicts, note } = req.body as {
      choice: ApiSide;
      conflicts: { id: string; seen: ApiSeen }[];
      note?: string;
    };
    const results = [];
    for (const { id, seen } of conflicts) {
      try {
        const { outcome } = await resolve(
          id,
          { choice, seen, note },
          credentials,
          req,
        );
        results.push({ id, ...outcome });
      } catch (error) {
        // one question that moved does not keep the others from being answered
        if (!isError(error)) throw error;
        results.push({ id, applied: false, message: error.message });
      }
    }
    res.json({ results });
  });

  router.get('/v1/conflicts/:id', async (req, res) => {
    const credentials = await access.credentials(req, { services: true });
    const { conflict, view } = await find(credentials, req.params.id);
    res.json(
      presentConflict(conflict, view, context.platformTitle(view.ref.platform)),
    );
  });

  router.post('/v1/conflicts/:id/resolve', async (req, res) => {
    const credentials = await access.credentials(req, { services: false });
    const { outcome, resourceId } = await resolve(
      req.params.id,
      req.body as { choice: ApiSide; seen: ApiSeen; note?: string },
      credentials,
      req,
    );
    const resource = await detail(context, credentials, resourceId);
    res.json({ ...outcome, resource } satisfies ApiActionResult);
  });

  async function resolve(
    id: string,
    body: { choice: ApiSide; seen: ApiSeen; note?: string },
    credentials: BackstageCredentials,
    request: Parameters<typeof access.credentials>[0],
  ) {
    return audited(
      context,
      {
        eventId: 'conflict-resolve',
        request,
        meta: { id, choice: body.choice },
      },
      async add => {
        const { conflict, view } = await find(credentials, id);
        add({ resourceId: view.id, title: view.title });
        await access.resource(
          credentials,
          conflict.resourceId,
          driftConflictResolvePermission,
        );
        const outcome = await actions.resolve(
          id,
          body,
          access.actor(credentials),
        );
        return { outcome, resourceId: conflict.resourceId };
      },
    );
  }

  async function find(credentials: BackstageCredentials, id: string) {
    const conflict = await store.getConflict(id);
    if (!conflict) throw new NotFoundError(`There is no conflict '${id}'`);
    const view = await access.resource(credentials, conflict.resourceId);
    return { conflict, view };
  }
}
