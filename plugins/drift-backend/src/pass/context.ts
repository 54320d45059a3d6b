/** What every pass is given: the platforms and sources, the store, time and chance. */
import type { LoggerService } from '@backstage/backend-plugin-api';
import type { SecretDigest } from '@plumbline/drift-engine';
import type {
  DeclarationSource,
  Platform,
} from '@plumbline/backstage-plugin-drift-node';
import type { Announcer } from '../announce/announcer';
import type { Tracing } from '../announce/tracing';
import type { Clock, Random } from '../clock';
import type { DriftConfig } from '../config';
import type { PolicyStatement } from '../policy/policy';
import { portalStatements } from '../policy/policy';
import type { DriftStore } from '../store/driftStore';

export interface PassContext {
  store: DriftStore;
  platforms: ReadonlyMap<string, Platform>;
  sources: ReadonlyMap<string, DeclarationSource>;
  config: DriftConfig;
  clock: Clock;
  random: Random;
  secretDigest: SecretDigest;
  logger: LoggerService;
  announcer: Announcer;
  /** Absent: nothing is traced. */
  tracing?: Tracing;
  /** This process, as the owner of leases. */
  owner: string;
}

/** Our field manager, as the platforms' modules write it. */
export const OUR_MANAGER = 'plumbline';

/** All policy statements as they are now: asked for by every pass, so that a change counts at the next write. */
export async function readStatements(
  context: Pick<PassContext, 'store' | 'config' | 'clock'>,
): Promise<PolicyStatement[]> {
  const now = context.clock.now();
  return [
    ...context.config.policies,
    ...portalStatements(await context.store.listRules(now), now),
  ];
}
