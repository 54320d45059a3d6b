/** What a seed decides beforehand: resources, policy, and how the processes are set up. */
import type { JsonObject } from '@plumbline/drift-engine';
import type { ResourceRef } from '@plumbline/backstage-plugin-drift-common';
import { KONNECT, KUBERNETES, MANIFESTS, RESOURCES } from './servers';
import type { Random } from './random';

export interface Scenario {
  refs: ResourceRef[];
  /** Service of a route. */
  parents: Map<ResourceRef, ResourceRef>;
  sources: Map<ResourceRef, string>;
  /** What another controller reconciles, and what of it we write ourselves on purpose. */
  operated: Set<ResourceRef>;
  takenOver: Set<ResourceRef>;
  /** Milliseconds after which that controller does nothing any more. */
  operatorEndsMs?: number;
  drift: JsonObject;
  workers: number;
  maxSkewMs: number;
  /** People and programs do this much. */
  events: number;
  faultMs: number;
  crashes: number;
}

export function makeScenario(random: Random): Scenario {
  // now and then more than a listing looks at one by one
  const count = random.chance(0.08) ? random.int(11, 13) : random.int(3, 8);
  const refs: ResourceRef[] = [];
  const parents = new Map<ResourceRef, ResourceRef>();
  const sources = new Map<ResourceRef, string>();
  for (let i = 0; i < count; i++) {
    const services = refs.filter(ref => ref.kind === 'services');
    const kind = random.weighted({
      services: 45,
      routes: services.length ? 25 : 0,
      widgets: 30,
    });
    const ref: ResourceRef = {
      platform: kind === 'widgets' ? KUBERNETES : KONNECT,
      kind,
      namespace: random.pick(['shop', 'bank']),
      name: `${kind.slice(0, -1)}-${i}`,
    };
    refs.push(ref);
    if (kind === 'routes') parents.set(ref, random.pick(services));
    sources.set(ref, random.pick([RESOURCES, MANIFESTS]));
  }
  const operatorIsThere = random.chance(0.4);
  const operated = new Set(
    refs.filter(
      ref =>
        operatorIsThere && sources.get(ref) === RESOURCES && random.chance(0.6),
    ),
  );
  const takenOver = new Set([...operated].filter(() => random.chance(0.15)));
  const asked = random.chance(0.3) ? [random.pick(refs)] : [];
  return {
    refs,
    parents,
    sources,
    operated,
    takenOver,
    ...(operatorIsThere && random.chance(0.15)
      ? { operatorEndsMs: 1_000 * random.int(20, 140) }
      : {}),
    drift: {
      resync: '10s',
      maxStaleness: '40s',
      concurrency: random.int(2, 4),
      prune: {
        maxItems: random.pick([1, 3, 10]),
        maxPercent: random.pick([20, 50, 100]),
      },
      defaults: {
        mode: 'enforce',
        prune: random.chance(0.85),
        onLiveEdit: random.weighted({ revert: 7, ask: 2, accept: 1 }),
        onFirstSight: random.weighted({ ask: 4, declared: 3, live: 2 }),
      },
      policies: [
        ...asked.map(ref => ({ scope: scopeOf(ref), mode: 'ask' })),
        ...[...takenOver].map(ref => ({
          scope: scopeOf(ref),
          actuator: 'direct',
        })),
      ],
    },
    workers: random.int(2, 3),
    maxSkewMs: random.pick([0, 500, 2_000]),
    events: random.int(50, 150),
    faultMs: 1_000 * random.int(80, 140),
    crashes: random.int(0, 6),
  };
}

function scopeOf({ platform, kind, namespace, name }: ResourceRef) {
  return { platform, kind, namespace: namespace ?? '', name };
}
