/** Policy rules and pauses: those of app-config to look at, those of the portal to set and remove. */
import {
  driftPolicyUpdatePermission,
  driftResourceReadPermission,
  type ApiPolicyRule,
  type ApiPolicyRuleInput,
  type ApiPolicySettings,
} from '@plumbline/backstage-plugin-drift-common';
import { InputError, NotAllowedError, NotFoundError } from '@backstage/errors';
import type { Router } from 'express';
import { randomUUID } from 'node:crypto';
import type { PolicyRuleRow } from '../store';
import { audited } from './audit';
import { presentRule } from './present';
import type { ApiContext } from './router';

export function addPolicyRoutes(router: Router, context: ApiContext): void {
  const { access, store, actions, now } = context;

  router.get('/v1/policies', async (req, res) => {
    const credentials = await access.credentials(req, { services: true });
    const visible = await access.visible(
      credentials,
      driftResourceReadPermission,
    );
    if (visible && 'anyOf' in visible && !visible.anyOf.length) {
      throw new NotAllowedError('You are not allowed to see drift policies');
    }
    const fromConfig = context.configRules.map(
      (rule, index): ApiPolicyRule => ({
        id: `config-${index}`,
        origin: 'config',
        scope: rule.scope,
        settings: rule.settings,
      }),
    );
    const fromPortal = (await store.listRules(now())).map(presentRule);
    const items = [...fromConfig, ...fromPortal].sort(
      (a, b) => width(a) - width(b),
    );
    res.json({ items });
  });

  router.post('/v1/policies', async (req, res) => {
    const credentials = await access.credentials(req, { services: false });
    const { scope, settings, reason, until } = req.body as ApiPolicyRuleInput;
    const rule: PolicyRuleRow = {
      id: randomUUID(),
      scope,
      settings,
      reason,
      by: access.actor(credentials).ref,
      createdAt: now(),
      ...(until === undefined ? {} : { until: Date.parse(until) }),
    };
    await audited(
      context,
      {
        eventId: 'policy-set',
        request: req,
        meta: {
          id: rule.id,
          scope: JSON.stringify(scope),
          settings: JSON.stringify(settings),
          reason,
          until,
        },
      },
      async () => {
        await access.require(credentials, driftPolicyUpdatePermission);
        requireStalenessAfterResync(settings);
        if (until !== undefined && Date.parse(until) <= now()) {
          throw new InputError(
            `"until" is ${until}, which is over already; give a time to come, or leave it out`,
          );
        }
        await store.addRule(rule);
        await actions.policyChanged(scope);
      },
    );
    res.status(201).json(presentRule(rule));
  });

  router.delete('/v1/policies/:id', async (req, res) => {
    const credentials = await access.credentials(req, { services: false });
    const { id } = req.params;
    await audited(
      context,
      { eventId: 'policy-remove', request: req, meta: { id } },
      async add => {
        await access.require(credentials, driftPolicyUpdatePermission);
        if (id.startsWith('config-')) {
          throw new InputError(
            'This rule is in app-config (drift.policies); change it there',
          );
        }
        const removed = await store.removeRule(id);
        if (!removed)
          throw new NotFoundError(`There is no policy rule '${id}'`);
        add({ scope: JSON.stringify(removed.scope) });
        await actions.policyChanged(removed.scope);
      },
    );
    res.status(204).end();
  });
}

function requireStalenessAfterResync(settings: ApiPolicySettings): void {
  const { resyncSeconds, maxStalenessSeconds } = settings;
  if (resyncSeconds === undefined || maxStalenessSeconds === undefined) return;
  if (maxStalenessSeconds > resyncSeconds) return;
  throw new InputError(
    `"maxStalenessSeconds" is ${maxStalenessSeconds} and "resyncSeconds" is ${resyncSeconds}: everything would turn Unknown between two checks; make maxStalenessSeconds longer than resyncSeconds`,
  );
}

function width(rule: ApiPolicyRule): number {
  const { platform, kind, namespace, name } = rule.scope;
  return [platform, kind, namespace, name].filter(Boolean).length;
}
