/** Who asks, and what they may see and do: the permission framework's answers in the store's terms. */
import type {
  BackstageCredentials,
  HttpAuthService,
  PermissionsRegistryService,
  PermissionsService,
  UserInfoService,
} from '@backstage/backend-plugin-api';
import { NotAllowedError, NotFoundError } from '@backstage/errors';
import {
  AuthorizeResult,
  type BasicPermission,
  type PermissionCriteria,
  type ResourcePermission,
} from '@backstage/plugin-permission-common';
import {
  createConditionTransformer,
  type ConditionTransformer,
} from '@backstage/plugin-permission-node';
import {
  driftResourceReadPermission,
  type RESOURCE_TYPE_DRIFT_RESOURCE,
} from '@plumbline/backstage-plugin-drift-common';
import type { Request } from 'express';
import type { Actor } from '../actions';
import type { DriftStore, ResourceView, VisibilityFilter } from '../store';
import { driftResourceRef } from './permissionRules';

type DriftPermission = ResourcePermission<typeof RESOURCE_TYPE_DRIFT_RESOURCE>;

export interface AccessOptions {
  store: DriftStore;
  httpAuth: HttpAuthService;
  userInfo: UserInfoService;
  permissions: PermissionsService;
  permissionsRegistry: PermissionsRegistryService;
  now: () => number;
}

export class Access {
  readonly #options: AccessOptions;
  readonly #transform: ConditionTransformer<VisibilityFilter>;

  constructor(options: AccessOptions) {
    this.#options = options;
    this.#transform = createConditionTransformer(
      options.permissionsRegistry.getPermissionRuleset(driftResourceRef),
    );
  }

  /** Credentials of a user, or of a service where `services` may act too. */
  async credentials(
    req: Request,
    options: { services: boolean },
  ): Promise<BackstageCredentials> {
    return this.#options.httpAuth.credentials(req, {
      allow: options.services ? ['user', 'service'] : ['user'],
    });
  }

  actor(credentials: BackstageCredentials): Actor {
    return { ref: principalRef(credentials.principal) };
  }

  /** Entity refs through which a user owns things. */
  async ownershipRefs(credentials: BackstageCredentials): Promise<string[]> {
    const info = await this.#options.userInfo.getUserInfo(credentials);
    return [...new Set([info.userEntityRef, ...info.ownershipEntityRefs])];
  }

  /** Which resources a permission covers; `undefined` means all. Nothing at all is an empty filter. */
  async visible(
    credentials: BackstageCredentials,
    permission: DriftPermission = driftResourceReadPermission,
  ): Promise<VisibilityFilter | undefined> {
    const [decision] = await this.#options.permissions.authorizeConditional(
      [{ permission }],
      { credentials },
    );
    if (decision.result === AuthorizeResult.ALLOW) return undefined;
    if (decision.result === AuthorizeResult.CONDITIONAL) {
      return toFilter(this.#transform(decision.conditions));
    }
    return { anyOf: [] };
  }

  /**
   * One resource, if the caller may see it and (for an action) do that to it.
   *
   * @throws NotFoundError where it is not there, or may not be seen: the two are not told apart.
   * @throws NotAllowedError where it may be seen but the action is not allowed.
   */
  async resource(
    credentials: BackstageCredentials,
    id: string,
    action?: DriftPermission,
  ): Promise<ResourceView> {
    const { store, now } = this.#options;
    const find = async (visible: VisibilityFilter | undefined) =>
      (await store.listResources({ ids: [id], visible }, { limit: 1 }, now()))
        .items[0];
    const seen = await find(await this.visible(credentials));
    if (!seen) throw new NotFoundError(`There is no drift resource '${id}'`);
    if (action && !(await find(await this.visible(credentials, action)))) {
      throw new NotAllowedError(
        `You are not allowed to do this to ${seen.title} (permission ${action.name})`,
      );
    }
    return seen;
  }

  /** @throws NotAllowedError */
  async require(
    credentials: BackstageCredentials,
    permission: BasicPermission,
  ): Promise<void> {
    const [decision] = await this.#options.permissions.authorize(
      [{ permission }],
      { credentials },
    );
    if (decision.result !== AuthorizeResult.ALLOW) {
      throw new NotAllowedError(
        `You are not allowed to do this (permission ${permission.name})`,
      );
    }
  }
}

function principalRef(principal: unknown): string {
  if (typeof principal === 'object' && principal !== null) {
    if ('userEntityRef' in principal) return String(principal.userEntityRef);
    if ('subject' in principal) return `service:${String(principal.subject)}`;
  }
  return 'service:unknown';
}

function toFilter(
  criteria: PermissionCriteria<VisibilityFilter>,
): VisibilityFilter {
  if ('anyOf' in criteria) return { anyOf: criteria.anyOf.map(toFilter) };
  if ('allOf' in criteria) return { allOf: criteria.allOf.map(toFilter) };
  if ('not' in criteria) return { not: toFilter(criteria.not) };
  return criteria;
}
