/** The HTTP API: the OpenAPI document validates what comes in and what goes out; the parts answer. */
import type {
  AuditorService,
  HttpAuthService,
  LoggerService,
  PermissionsRegistryService,
  PermissionsService,
  UserInfoService,
} from '@backstage/backend-plugin-api';
import { InputError } from '@backstage/errors';
import {
  driftPermissions,
  openApiDocument,
} from '@plumbline/backstage-plugin-drift-common';
import express, { type ErrorRequestHandler, type Router } from 'express';
import PromiseRouter from 'express-promise-router';
import { middleware as openApiMiddleware } from 'express-openapi-validator';
import type { DriftActions } from '../actions';
import type { DriftStore, PolicyRuleRow } from '../store';
import { Access } from './access';
import { addConflictRoutes } from './conflicts';
import { addDeclarationRoutes } from './declarations';
import { addFleetRoutes } from './fleet';
import { driftPermissionRules, driftResourceRef } from './permissionRules';
import { addPolicyRoutes } from './policies';
import { addResourceRoutes } from './resources';

export interface RouterOptions {
  store: DriftStore;
  actions: DriftActions;
  httpAuth: HttpAuthService;
  userInfo: UserInfoService;
  permissions: PermissionsService;
  permissionsRegistry: PermissionsRegistryService;
  auditor: AuditorService;
  logger: LoggerService;
  /** Wall clock, milliseconds since the epoch. */
  now: () => number;
  /** Platforms that are set up, for their titles and budgets. */
  platforms: () => { id: string; title: string; requestsPerMinute: number }[];
  /** Rules from app-config, for showing. */
  configRules: Pick<PolicyRuleRow, 'scope' | 'settings'>[];
  /** Whether the loop of this process turns. */
  health: () => { healthy: boolean; message?: string };
}

/** What every part of the API works with. */
export interface ApiContext extends RouterOptions {
  access: Access;
  platformTitle(id: string): string;
}

export async function createRouter(options: RouterOptions): Promise<Router> {
  const { store, permissionsRegistry, now } = options;
  permissionsRegistry.addResourceType({
    resourceRef: driftResourceRef,
    permissions: driftPermissions.filter(
      permission => 'resourceType' in permission,
    ),
    rules: driftPermissionRules,
    async getResources(ids) {
      const page = await store.listResources(
        { ids },
        { limit: ids.length },
        now(),
      );
      return ids.map(id => page.items.find(view => view.id === id));
    },
  });
  permissionsRegistry.addPermissions(
    driftPermissions.filter(permission => !('resourceType' in permission)),
  );

  const context: ApiContext = {
    ...options,
    access: new Access(options),
    platformTitle: id =>
      options.platforms().find(platform => platform.id === id)?.title ?? id,
  };
  const router = PromiseRouter();
  router.use(express.json({ limit: '1mb' }));
  router.use(
    openApiMiddleware({
      apiSpec: openApiDocument as unknown as Parameters<
        typeof openApiMiddleware
      >[0]['apiSpec'] &
        object,
      validateRequests: { allowUnknownQueryParameters: false },
      validateResponses: true,
      validateSecurity: false,
      validateFormats: true,
      useRequestUrl: true,
      ignoreUndocumented: true,
    }),
  );
  addHealthRoute(router, context);
  addFleetRoutes(router, context);
  addResourceRoutes(router, context);
  addConflictRoutes(router, context);
  addPolicyRoutes(router, context);
  addDeclarationRoutes(router, context);
  router.use(translateValidationErrors(options.logger));
  return router;
}

/** For probes, without credentials: says nothing that needs a right. */
function addHealthRoute(router: Router, { health }: ApiContext): void {
  router.get('/v1/health', (_req, res) => {
    const { healthy, message } = health();
    res
      .status(healthy ? 200 : 503)
      .json(healthy ? { status: 'ok' } : { status: 'error', message });
  });
}

// The validator has its own error class; people get Backstage's, with the field and the place.
function translateValidationErrors(logger: LoggerService): ErrorRequestHandler {
  return (error, req, _res, next) => {
    const status = typeof error?.status === 'number' ? error.status : undefined;
    const isValidation = Array.isArray(error?.errors) && status !== undefined;
    if (!isValidation) {
      next(error);
      return;
    }
    const places = (error.errors as { path?: string; message?: string }[])
      .map(item => `${item.path ?? 'request'} ${item.message ?? 'is wrong'}`)
      .join('; ');
    if (status >= 500) {
      logger.error(
        `The answer to ${req.method} ${req.path} is not what the OpenAPI document says: ${places}`,
      );
      next(
        new Error(
          'The drift backend made an answer that breaks its own API; see its log',
        ),
      );
      return;
    }
    next(new InputError(`Wrong request: ${places}`));
  };
}
