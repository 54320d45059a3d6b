/** What modules bring: platforms, declaration sources and mappers. One module's failure does not stop the others. */
import type { LoggerService } from '@backstage/backend-plugin-api';
import { ConflictError, ForwardedError } from '@backstage/errors';
import type {
  CustomResourceMapper,
  DeclarationSource,
  DriftContext,
  DriftDeclarationsExtensionPoint,
  DriftPlatformsExtensionPoint,
  Platform,
} from '@plumbline/backstage-plugin-drift-node';
import type { Announcer } from './announce/announcer';
import type { Clock, Random } from './clock';
import { createRequestGate } from './loop/requestGate';
import { keyFor } from './secretDigest';
import type { DriftStore } from './store';

/** How a module hears of its own failure. */
export interface ModuleContext {
  reportModuleStartupFailure(options: { error: Error }): void;
}

type Create<T> = (context: DriftContext) => T | Promise<T>;

export class Registrations {
  private readonly platformMakers: {
    make: Create<Platform>;
    module: ModuleContext;
  }[] = [];
  private readonly sourceMakers: {
    make: Create<DeclarationSource>;
    module: ModuleContext;
  }[] = [];
  private readonly mappers: CustomResourceMapper[] = [];

  platformsFor(module: ModuleContext): DriftPlatformsExtensionPoint {
    return {
      addPlatform: make => {
        this.platformMakers.push({ make, module });
      },
    };
  }

  declarationsFor(module: ModuleContext): DriftDeclarationsExtensionPoint {
    return {
      addDeclarationSource: make => {
        this.sourceMakers.push({ make, module });
      },
      addCustomResourceMapper: mapper => {
        this.mappers.push(mapper);
      },
    };
  }

  /** Makes everything that was registered, once all modules have registered. */
  async create(options: {
    store: DriftStore;
    clock: Clock;
    random: Random;
    logger: LoggerService;
    announcer: Pick<Announcer, 'requested'>;
    /** Of this installation. */
    key: string;
  }): Promise<{
    platforms: Map<string, Platform>;
    sources: Map<string, DeclarationSource>;
  }> {
    const gates = new Map<string, ReturnType<DriftContext['gate']>>();
    const context: DriftContext = {
      gate: platform => {
        const gate =
          gates.get(platform.id) ??
          createRequestGate({
            platform,
            ...options,
            requested: result =>
              options.announcer.requested(platform.id, result),
          });
        gates.set(platform.id, gate);
        return gate;
      },
      customResourceMappers: () => this.mappers,
      keyFor: purpose => keyFor(options.key, purpose),
      now: () => options.clock.now(),
    };
    return {
      platforms: await makeAll(this.platformMakers, context, 'platform'),
      sources: await makeAll(this.sourceMakers, context, 'declaration source'),
    };
  }
}

async function makeAll<T extends { id: string }>(
  makers: { make: Create<T>; module: ModuleContext }[],
  context: DriftContext,
  what: string,
): Promise<Map<string, T>> {
  const made = new Map<string, T>();
  for (const { make, module } of makers) {
    try {
      const one = await make(context);
      if (made.has(one.id)) {
        throw new ConflictError(
          `There are two of the ${what} "${one.id}"; give one of them another name`,
        );
      }
      made.set(one.id, one);
    } catch (error) {
      module.reportModuleStartupFailure({
        error: new ForwardedError(`A ${what} could not be started`, error),
      });
    }
  }
  return made;
}
