// The state in which a fresh sandbox starts, made by seeding two stand-ins that nobody else sees.
import { KubeClient } from '../clients/kubeClient';
import { createKonnectSandbox, KonnectSnapshot } from '../konnect';
import { JsonObject } from '../konnect/json';
import { createKubernetesSandbox, StoreSnapshot } from '../kubernetes';
import { seedSandbox } from '../seed';
import { seededRandom, uuidFrom } from './randomness';

/** Both stand-ins' states. */
export interface SeededState {
  konnect: KonnectSnapshot;
  kubernetes: StoreSnapshot;
}

/** What the seed depends on. */
export interface SeededStateOptions {
  manifests: JsonObject[];
  konnectToken: string;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Without drifts. */
  clean?: boolean;
}

/** The seeded state: the same IDs every time. */
export async function seededState(
  options: SeededStateOptions,
): Promise<SeededState> {
  const random = seededRandom(2026);
  const konnect = createKonnectSandbox({
    now: options.now,
    uuid: () => uuidFrom(random),
  });
  const token = 'seed';
  const kubernetes = createKubernetesSandbox({
    now: () => new Date(options.now()),
    random,
    tokens: { [token]: { user: 'seed', access: 'admin' } },
  });
  const running = await kubernetes.listen(0);
  try {
    await seedSandbox({
      ...options,
      konnect: konnect.store,
      kube: new KubeClient({ url: running.url, token }),
    });
  } finally {
    await running.close();
  }
  return withStableUids(
    {
      konnect: konnect.store.snapshot(),
      kubernetes: kubernetes.snapshot(),
    },
    random,
  );
}

/** The cluster draws its UIDs by chance, and Konnect's tags repeat them: give each one that is the same every time. */
function withStableUids(state: SeededState, random: () => number): SeededState {
  const text = state.kubernetes.objects.reduce(
    (all, { object }) =>
      object.metadata.uid
        ? all.replaceAll(object.metadata.uid, uuidFrom(random))
        : all,
    JSON.stringify(state),
  );
  return JSON.parse(text) as SeededState;
}
