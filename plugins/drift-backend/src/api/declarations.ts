/** Declaring a manifest through the portal, for scaffolder templates. */
import { driftDeclarationApplyPermission } from '@plumbline/backstage-plugin-drift-common';
import type { JsonObject } from '@plumbline/drift-engine';
import type { Router } from 'express';
import { audited } from './audit';
import type { ApiContext } from './router';

export function addDeclarationRoutes(
  router: Router,
  context: ApiContext,
): void {
  const { access, actions } = context;

  router.post('/v1/declarations/apply', async (req, res) => {
    const credentials = await access.credentials(req, { services: true });
    const { source, manifest, entityRef, dryRun } = req.body as {
      source: string;
      manifest: JsonObject;
      entityRef?: string;
      dryRun?: boolean;
    };
    const result = await audited(
      context,
      {
        eventId: 'declaration-apply',
        request: req,
        meta: { source, entityRef, dryRun },
      },
      async () => {
        await access.require(credentials, driftDeclarationApplyPermission);
        return actions.apply(
          { source, manifest, entityRef, dryRun: dryRun ?? false },
          access.actor(credentials),
        );
      },
    );
    res.json(result);
  });
}
