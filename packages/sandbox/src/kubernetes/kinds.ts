/** The table of built-in kinds, and the registry of everything that is served, custom resources included. */
import { Named } from './errors';
import { JsonObject } from './json';
import { Schema, reference } from './schema';

/** One version in which a kind is served. */
export interface ServedVersion {
  version: string;
  schema: Schema;
  /** The name of the definition, for built-in kinds. */
  definition?: string;
}

/** Everything that the server must know about a kind. */
export interface Kind extends Named {
  listKind: string;
  singular: string;
  namespaced: boolean;
  shortNames: string[];
  categories: string[];
  /** The preferred version first. */
  versions: ServedVersion[];
  /** The version in which objects are stored. */
  storage: string;
  /** Subresources besides the object itself. */
  status: boolean;
  scale?: { specPath: string[]; statusPath: string[]; selectorPath?: string[] };
  /** What counts a generation: the whole object but metadata (and status), or nothing. */
  generation: boolean;
  /** Field selectors besides metadata.name and metadata.namespace, as dotted paths. */
  selectable: string[];
  /** Names must be DNS labels (no dots), RBAC names may be any path segment. */
  names: 'label' | 'subdomain' | 'segment';
  /** The custom resource definition that a custom kind comes from. */
  definedBy?: string;
  /** Turns an object of one version into another where more than the apiVersion differs. */
  convert?: (object: JsonObject, version: string) => JsonObject;
}

/** `group/version`, or the version alone for the core group. */
export const apiVersionOf = (group: string, version: string) =>
  group ? `${group}/${version}` : version;

type Row = readonly [
  group: string,
  versions: string,
  kind: string,
  plural: string,
  shortNames: string,
  flags: string,
];

/**
 * group, versions (preferred first), Kind, plural, short names, flags:
 * `C` cluster-scoped, `S` status subresource, `R` scale subresource, `G` counts generations, `A` in category all,
 * `L` names are DNS labels, `P` names are path segments.
 */
const BUILT_IN: readonly Row[] = [
  ['', 'v1', 'Namespace', 'namespaces', 'ns', 'CSL'],
  ['', 'v1', 'ConfigMap', 'configmaps', 'cm', ''],
  ['', 'v1', 'Secret', 'secrets', '', ''],
  ['', 'v1', 'Service', 'services', 'svc', 'SAL'],
  ['', 'v1', 'ServiceAccount', 'serviceaccounts', 'sa', ''],
  ['', 'v1', 'Endpoints', 'endpoints', 'ep', ''],
  ['', 'v1', 'Event', 'events', 'ev', ''],
  ['', 'v1', 'Node', 'nodes', 'no', 'CS'],
  ['', 'v1', 'PersistentVolumeClaim', 'persistentvolumeclaims', 'pvc', 'S'],
  ['', 'v1', 'Pod', 'pods', 'po', 'SA'],
  ['apps', 'v1', 'Deployment', 'deployments', 'deploy', 'SRGA'],
  ['apps', 'v1', 'StatefulSet', 'statefulsets', 'sts', 'SRGA'],
  ['apps', 'v1', 'DaemonSet', 'daemonsets', 'ds', 'SGA'],
  ['apps', 'v1', 'ReplicaSet', 'replicasets', 'rs', 'SRGA'],
  ['batch', 'v1', 'Job', 'jobs', '', 'SA'],
  ['batch', 'v1', 'CronJob', 'cronjobs', 'cj', 'SA'],
  ['networking.k8s.io', 'v1', 'Ingress', 'ingresses', 'ing', 'SG'],
  ['networking.k8s.io', 'v1', 'IngressClass', 'ingressclasses', '', 'CG'],
  [
    'networking.k8s.io',
    'v1',
    'NetworkPolicy',
    'networkpolicies',
    'netpol',
    'G',
  ],
  ['rbac.authorization.k8s.io', 'v1', 'Role', 'roles', '', 'P'],
  ['rbac.authorization.k8s.io', 'v1', 'RoleBinding', 'rolebindings', '', 'P'],
  ['rbac.authorization.k8s.io', 'v1', 'ClusterRole', 'clusterroles', '', 'CP'],
  [
    'rbac.authorization.k8s.io',
    'v1',
    'ClusterRoleBinding',
    'clusterrolebindings',
    '',
    'CP',
  ],
  [
    'autoscaling',
    'v2 v1',
    'HorizontalPodAutoscaler',
    'horizontalpodautoscalers',
    'hpa',
    'SA',
  ],
  [
    'policy',
    'v1 v1beta1',
    'PodDisruptionBudget',
    'poddisruptionbudgets',
    'pdb',
    'SG',
  ],
  ['coordination.k8s.io', 'v1', 'Lease', 'leases', '', ''],
  ['storage.k8s.io', 'v1', 'StorageClass', 'storageclasses', 'sc', 'C'],
  ['scheduling.k8s.io', 'v1', 'PriorityClass', 'priorityclasses', 'pc', 'CG'],
  [
    'apiextensions.k8s.io',
    'v1',
    'CustomResourceDefinition',
    'customresourcedefinitions',
    'crd crds',
    'CSG',
  ],
];

/** Where a group's definitions are published, where that is not `io.k8s.api.<first word of the group>`. */
const PACKAGES: { [group: string]: string } = {
  '': 'io.k8s.api.core',
  'apiextensions.k8s.io':
    'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions',
};

const SELECTABLE: { [plural: string]: string[] } = {
  pods: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'status.phase',
    'status.podIP',
  ],
  secrets: ['type'],
  namespaces: ['status.phase'],
  nodes: ['spec.unschedulable'],
  events: [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'reason',
    'type',
  ],
  jobs: ['status.successful'],
};

function fromRow([
  group,
  versions,
  kind,
  plural,
  shortNames,
  flags,
]: Row): Kind {
  const home = PACKAGES[group] ?? `io.k8s.api.${group.split('.')[0]}`;
  const scaleSelector =
    plural === 'deployments' ||
    plural === 'replicasets' ||
    plural === 'statefulsets';
  return {
    group,
    kind,
    plural,
    listKind: `${kind}List`,
    singular: kind.toLowerCase(),
    namespaced: !flags.includes('C'),
    shortNames: shortNames ? shortNames.split(' ') : [],
    categories: flags.includes('A') ? ['all'] : [],
    versions: versions.split(' ').map(version => {
      const definition = `${home}.${version}.${kind}`;
      return { version, definition, schema: reference(definition) };
    }),
    storage: versions.split(' ')[0],
    status: flags.includes('S'),
    ...(flags.includes('R')
      ? {
          scale: {
            specPath: ['spec', 'replicas'],
            statusPath: ['status', 'replicas'],
            ...(scaleSelector ? { selectorPath: ['spec', 'selector'] } : {}),
          },
        }
      : {}),
    generation: flags.includes('G'),
    selectable: SELECTABLE[plural] ?? [],
    names: nameStyle(flags),
  };
}

function nameStyle(flags: string): Kind['names'] {
  if (flags.includes('L')) {
    return 'label';
  }
  return flags.includes('P') ? 'segment' : 'subdomain';
}

/** All kinds that are served now. */
export class KindRegistry {
  private readonly byPlural = new Map<string, Kind>();

  constructor(convert: { [kind: string]: Kind['convert'] } = {}) {
    for (const row of BUILT_IN) {
      const kind = fromRow(row);
      this.register({
        ...kind,
        ...(convert[kind.kind] ? { convert: convert[kind.kind] } : {}),
      });
    }
  }

  /** Adds a kind, or replaces the one of the same group and plural. */
  register(kind: Kind): void {
    this.byPlural.set(`${kind.group}/${kind.plural}`, kind);
  }

  /** Removes a kind. */
  unregister(group: string, plural: string): void {
    this.byPlural.delete(`${group}/${plural}`);
  }

  /** The kind that is served under a group and plural. */
  find(group: string, plural: string): Kind | undefined {
    return this.byPlural.get(`${group}/${plural}`);
  }

  all(): Kind[] {
    return [...this.byPlural.values()];
  }

  /** Versions of a group, the preferred one first. */
  versionsOf(group: string): string[] {
    const versions = this.all()
      .filter(kind => kind.group === group)
      .flatMap(kind => kind.versions.map(({ version }) => version));
    return [...new Set(versions)].sort(compareVersions);
  }

  /** All groups but the core group. */
  groups(): string[] {
    return [...new Set(this.all().map(kind => kind.group))].filter(
      group => group !== '',
    );
  }
}

/** Stable before beta before alpha, and the higher number first. */
function compareVersions(a: string, b: string): number {
  const rank = (version: string): number[] => {
    const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
    if (!match) {
      return [0, 0, 0];
    }
    const stage = { alpha: 1, beta: 2 }[match[2]] ?? 3;
    return [stage, Number(match[1]), Number(match[3] ?? 0)];
  };
  const [left, right] = [rank(a), rank(b)];
  for (let index = 0; index < left.length; index += 1) {
    if (left[index] !== right[index]) {
      return right[index] - left[index];
    }
  }
  return a < b ? -1 : 1;
}
