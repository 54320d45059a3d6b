/** What is declared in this test: Kong services with their routes, and ConfigMaps by manifest; how many, and how each is called. */

/** What one resource is, on either side. */
export type ThingKind = 'service' | 'route' | 'configMap';

export interface Thing {
  kind: ThingKind;
  name: string;
  /** The service that a route hangs on. */
  service?: string;
}

export const PLANE = 'prod-gateway';
export const PLATFORM = `konnect/${PLANE}`;
export const CLUSTER = 'sandbox';
export const NAMESPACE = 'shop';

/** What is edited of a kind: a field that is declared, and one that nobody declares. */
export const FIELDS: Record<
  ThingKind,
  { declared: string[]; undeclared: string[] }
> = {
  service: { declared: ['read_timeout'], undeclared: ['connect_timeout'] },
  route: { declared: ['regex_priority'], undeclared: ['preserve_host'] },
  configMap: { declared: ['data', 'LEVEL'], undeclared: ['data', 'EXTRA'] },
};

/** The loop's name of a kind. */
export const RESOURCE_KINDS: Record<ThingKind, string> = {
  service: 'services',
  route: 'routes',
  configMap: 'v1/ConfigMap',
};

/** The value that everything begins with; every edit has a value of its own, so that it can be told from all others. */
export const FIRST_VALUE = 1_000;

export function makeWorld(count: number): Thing[] {
  const number = (n: number) => String(n).padStart(4, '0');
  const configMaps = Math.floor(count / 5);
  const services = Math.floor((count - configMaps) / 2);
  const routes = count - configMaps - services;
  return [
    ...range(services).map(
      (n): Thing => ({ kind: 'service', name: `svc-${number(n)}` }),
    ),
    ...range(routes).map(
      (n): Thing => ({
        kind: 'route',
        name: `route-${number(n)}`,
        service: `svc-${number(n % services)}`,
      }),
    ),
    ...range(configMaps).map(
      (n): Thing => ({ kind: 'configMap', name: `cm-${number(n)}` }),
    ),
  ];
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n);
}

export function valueOf(kind: ThingKind, value: number): number | string {
  return kind === 'configMap' ? String(value) : value;
}

/** The custom resource that declares a service or a route. Every other route has no name: only its mark tells it from others. */
export function customResource(thing: Thing, value: number) {
  const { kind, name, service } = thing;
  const declared = { [FIELDS[kind].declared[0]]: value };
  return {
    apiVersion: 'configuration.konghq.com/v1alpha1',
    kind: kind === 'service' ? 'KongService' : 'KongRoute',
    metadata: { name, namespace: NAMESPACE },
    spec:
      kind === 'service'
        ? {
            controlPlaneRef: {
              type: 'konnectNamespacedRef',
              konnectNamespacedRef: { name: PLANE },
            },
            name,
            host: `${name}.${NAMESPACE}.svc`,
            port: 8080,
            protocol: 'http',
            ...declared,
          }
        : {
            serviceRef: {
              type: 'namespacedRef',
              namespacedRef: { name: service ?? '' },
            },
            ...(isNamed(name) ? { name } : {}),
            paths: [`/${name}`],
            ...declared,
          },
  };
}

export function isNamed(route: string): boolean {
  return Number(route.slice(-1)) % 2 === 0;
}

export function configMap(name: string, value: number) {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: NAMESPACE },
    data: { LEVEL: String(value), MODE: 'plain' },
  };
}

/** The value at a path of a document, where there is one. */
export function valueAt(document: unknown, path: string[]): unknown {
  return path.reduce<unknown>(
    (node, key) =>
      typeof node === 'object' && node !== null
        ? (node as Record<string, unknown>)[key]
        : undefined,
    document,
  );
}
