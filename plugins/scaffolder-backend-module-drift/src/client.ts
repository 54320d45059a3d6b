/** The drift API as the person who started the template: never with more rights than theirs. */
import type {
  AuthService,
  BackstageCredentials,
  DiscoveryService,
} from '@backstage/backend-plugin-api';
import { DriftClient } from '@plumbline/backstage-plugin-drift-common';

/** Makes a client that acts for these credentials. Tokens live for minutes: make a new one for each round of a long wait. */
export type DriftClientFor = (
  credentials: BackstageCredentials,
) => Promise<
  Pick<DriftClient, 'applyDeclaration' | 'findResource' | 'checkResource'>
>;

export function driftClientFor(options: {
  auth: AuthService;
  discovery: DiscoveryService;
}): DriftClientFor {
  return async credentials => {
    const { token } = await options.auth.getPluginRequestToken({
      onBehalfOf: credentials,
      targetPluginId: 'drift',
    });
    return new DriftClient({
      baseUrl: await options.discovery.getBaseUrl('drift'),
      fetch,
      token,
    });
  };
}
