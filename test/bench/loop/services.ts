/* The services of the benchmark, by number: as they are declared, and as Kong's operator would have written them. */
import type { DeclaredResource } from '@plumbline/backstage-plugin-drift-node';
import type { JsonObject } from '@plumbline/drift-engine';

export const CONTROL_PLANE = '00000000-0000-4000-8000-00000000c0de';
export const PLATFORM = 'konnect/bench';
export const SOURCE = 'bench/custom-resources';

function uuid(group: string, i: number): string {
  // scattered, as real ones are: their order is not the order of the names
  const head = (Math.imul(i + 1, 0x9e3779b1) >>> 0).toString(16);
  return `${head.padStart(8, '0')}-${group}-4000-8000-${String(i).padStart(
    12,
    '0',
  )}`;
}

/** The Konnect id of a service. */
export const serviceId = (i: number) => uuid('0001', i);

/** The uid of its custom resource. */
const uidOf = (i: number) => uuid('0002', i);

const nameOf = (i: number) => `orders-${i}`;

function declaredFields(i: number): JsonObject {
  return {
    name: nameOf(i),
    host: `orders-${i}.shop.internal`,
    port: 8080,
    protocol: 'http',
    path: '/v1',
    retries: 3,
    tags: [`team-${i % 40}`, 'gold'],
  };
}

/** What the body of the operator's PUT holds; the stand-in adds the defaults. */
export function liveService(i: number) {
  return {
    ...declaredFields(i),
    tags: [
      `team-${i % 40}`,
      'gold',
      'k8s-generation:1',
      'k8s-group:configuration.konghq.com',
      'k8s-kind:KongService',
      `k8s-name:${nameOf(i)}`,
      'k8s-namespace:shop',
      `k8s-uid:${uidOf(i)}`,
      'k8s-version:v1alpha1',
    ],
  };
}

/** The declaration, in the live side's shape, as the mapper of KongServices makes it. */
export function declaredService(i: number): DeclaredResource {
  const name = nameOf(i);
  const uid = uidOf(i);
  return {
    ref: { platform: PLATFORM, kind: 'services', namespace: 'shop', name },
    document: declaredFields(i),
    version: `1.${i}`,
    origin: {
      source: SOURCE,
      type: 'customResource',
      cluster: 'bench',
      apiVersion: 'configuration.konghq.com/v1alpha1',
      kind: 'KongService',
      namespace: 'shop',
      name,
      uid,
    },
    locators: [`id:${serviceId(i)}`, `mark:k8s-uid:${uid}`, `name:${name}`],
    mark: { key: 'k8s-uid', value: uid },
  };
}

/** The number of a service, from its id or its name. */
export function numberOf(idOrName: string): number {
  return Number(/0*(\d+)$/.exec(idOrName)?.[1]);
}
