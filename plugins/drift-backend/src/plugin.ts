/** The backend plugin: takes platforms and sources from modules, and starts the store, the loop and the API. */
import {
  coreServices,
  createBackendPlugin,
} from '@backstage/backend-plugin-api';
import {
  metricsServiceRef,
  tracingServiceRef,
} from '@backstage/backend-plugin-api/alpha';
import { catalogServiceRef } from '@backstage/plugin-catalog-node';
import { eventsServiceRef } from '@backstage/plugin-events-node';
import { notificationService } from '@backstage/plugin-notifications-node';
import { signalsServiceRef } from '@backstage/plugin-signals-node';
import {
  driftDeclarationsExtensionPoint,
  driftPlatformsExtensionPoint,
} from '@plumbline/backstage-plugin-drift-node';
import { createAnnouncer } from './announce/announcer';
import { createRecorder, observeState } from './announce/metrics';
import { createConflictNotifier } from './announce/notifier';
import { createRouter } from './api/router';
import { createEntityMatcher } from './catalog/matcher';
import { systemClock } from './clock';
import { readDriftConfig } from './config';
import { DriftLoop } from './loop/driftLoop';
import { watchHealth } from './loop/watchHealth';
import { createActions } from './pass/actions';
import type { PassContext } from './pass/context';
import { Registrations } from './registrations';
import { installationKey, keyedDigest } from './secretDigest';
import { createDriftStore } from './store';

/**
 * Reconcile loops over resources that are declared in one place and live in another.
 *
 * @public
 */
export const driftPlugin = createBackendPlugin({
  pluginId: 'drift',
  register(env) {
    const registrations = new Registrations();
    env.registerExtensionPoint({
      extensionPoint: driftPlatformsExtensionPoint,
      factory: module => registrations.platformsFor(module),
    });
    env.registerExtensionPoint({
      extensionPoint: driftDeclarationsExtensionPoint,
      factory: module => registrations.declarationsFor(module),
    });
    env.registerInit({
      deps: {
        auditor: coreServices.auditor,
        auth: coreServices.auth,
        config: coreServices.rootConfig,
        database: coreServices.database,
        httpAuth: coreServices.httpAuth,
        httpRouter: coreServices.httpRouter,
        instance: coreServices.rootInstanceMetadata,
        lifecycle: coreServices.lifecycle,
        logger: coreServices.logger,
        permissions: coreServices.permissions,
        permissionsRegistry: coreServices.permissionsRegistry,
        scheduler: coreServices.scheduler,
        userInfo: coreServices.userInfo,
        catalog: catalogServiceRef,
        events: eventsServiceRef,
        metrics: metricsServiceRef,
        notifications: notificationService,
        signals: signalsServiceRef,
        tracing: tracingServiceRef,
      },
      async init(deps) {
        const { logger, database, lifecycle, scheduler } = deps;
        const config = readDriftConfig(deps.config);
        const clock = systemClock;
        const random = Math.random;
        const store = await createDriftStore({ database, now: clock.now });
        const announcer = createAnnouncer({
          signals: deps.signals,
          events: deps.events,
          recorder: createRecorder(deps.metrics),
          notifier: createConflictNotifier({
            store,
            notifications: deps.notifications,
            logger,
            now: clock.now,
          }),
          logger,
        });
        const key =
          config.secretDigestKey ??
          (await installationKey(await database.getClient()));
        const { platforms, sources } = await registrations.create({
          key,
          store,
          clock,
          random,
          logger,
          announcer,
        });
        const context: PassContext = {
          store,
          platforms,
          sources,
          config,
          clock,
          random,
          secretDigest: keyedDigest(key),
          logger,
          announcer,
          tracing: deps.tracing,
          owner: deps.instance.getId(),
        };
        for (const { id, title } of platforms.values()) {
          await store.putScope({ id, kind: 'platform', title });
        }
        for (const { id, title } of sources.values()) {
          await store.putScope({ id, kind: 'source', title });
        }

        const matcher = createEntityMatcher({
          store,
          catalog: deps.catalog,
          auth: deps.auth,
          logger,
        });
        const loop = new DriftLoop(context, signal => matcher.run(signal));
        observeState(deps.metrics, {
          store,
          platforms: () => [...platforms.values()],
          healthy: () => loop.health().healthy,
          now: clock.now,
        });
        const actions = createActions(
          context,
          {
            due: () => loop.wake(),
            passed: result => loop.passed(result),
            listSoon: source => loop.listSoon(source),
          },
          { signal: loop.signal },
        );
        // for probes, which have no token
        deps.httpRouter.addAuthPolicy({
          path: '/v1/health',
          allow: 'unauthenticated',
        });
        deps.httpRouter.use(
          await createRouter({
            store,
            actions,
            httpAuth: deps.httpAuth,
            userInfo: deps.userInfo,
            permissions: deps.permissions,
            permissionsRegistry: deps.permissionsRegistry,
            auditor: deps.auditor,
            logger,
            now: clock.now,
            platforms: () =>
              [...platforms.values()].map(({ id, title, budget }) => ({
                id,
                title,
                requestsPerMinute: budget.requestsPerMinute,
              })),
            configRules: [
              shownRule({
                scope: {},
                settings: {
                  mode: 'observe',
                  ...config.defaults,
                  resyncMs: config.defaults.resyncMs ?? config.resyncMs,
                  maxStalenessMs:
                    config.defaults.maxStalenessMs ?? config.maxStalenessMs,
                },
              }),
              ...config.policies.map(shownRule),
            ],
            health: () => loop.health(),
          }),
        );

        // short and global: one replica tidies up, and whoever does says whether its loop still turns
        await scheduler.scheduleTask({
          id: 'drift-tidy',
          frequency: { minutes: 10 },
          timeout: { minutes: 2 },
          fn: async () => {
            const deleted = await store.deleteDecisionsBefore(
              clock.now() - config.decisionRetentionMs,
            );
            if (deleted) logger.info(`Deleted ${deleted} old decisions`);
          },
        });
        const tellHealth = watchHealth(logger);
        await scheduler.scheduleTask({
          id: 'drift-tick',
          scope: 'local',
          frequency: { seconds: 15 },
          timeout: { seconds: 10 },
          fn: async () => {
            tellHealth(loop.health());
            loop.wake();
          },
        });
        lifecycle.addStartupHook(() => loop.start());
        lifecycle.addShutdownHook(() => loop.stop());
      },
    });
  },
});

function shownRule({
  scope,
  settings,
}: Pick<
  ReturnType<typeof readDriftConfig>['policies'][number],
  'scope' | 'settings'
>) {
  const { resyncMs, maxStalenessMs, ...rest } = settings;
  return {
    scope,
    settings: {
      ...rest,
      ...(resyncMs === undefined
        ? {}
        : { resyncSeconds: Math.round(resyncMs / 1000) }),
      ...(maxStalenessMs === undefined
        ? {}
        : { maxStalenessSeconds: Math.round(maxStalenessMs / 1000) }),
    },
  };
}
