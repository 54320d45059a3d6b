/** Discovery: which groups, versions and resources there are, and the published schemas. */
import { JsonObject } from './json';
import { Kind, KindRegistry, apiVersionOf } from './kinds';
import { Schema, definitions } from './schema';

const VERBS = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];
const SUBRESOURCE_VERBS = ['get', 'patch', 'update'];

/** What `/version` says; the words "sandbox" tell people what they are looking at. */
export const VERSION: JsonObject = {
  major: '1',
  minor: '24',
  gitVersion: 'v1.24.0-sandbox',
  gitCommit: '0000000000000000000000000000000000000000',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'none',
  compiler: 'none',
  platform: 'sandbox',
};

const groupVersions = (group: string, versions: string[]) =>
  versions.map(version => ({ groupVersion: `${group}/${version}`, version }));

function describeGroup(kinds: KindRegistry, group: string): JsonObject {
  const versions = groupVersions(group, kinds.versionsOf(group));
  return { name: group, versions, preferredVersion: versions[0] };
}

/** `/apis`. */
export function groupList(kinds: KindRegistry): JsonObject {
  return {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: [
      ...kinds.groups().map(group => describeGroup(kinds, group)),
      describeReview(),
    ],
  };
}

const REVIEWS = 'authorization.k8s.io';

function describeReview(): JsonObject {
  const versions = groupVersions(REVIEWS, ['v1']);
  return { name: REVIEWS, versions, preferredVersion: versions[0] };
}

/** `/apis/{group}`. */
export function oneGroup(
  kinds: KindRegistry,
  group: string,
): JsonObject | undefined {
  if (group === REVIEWS) {
    return { kind: 'APIGroup', apiVersion: 'v1', ...describeReview() };
  }
  return kinds.groups().includes(group)
    ? { kind: 'APIGroup', apiVersion: 'v1', ...describeGroup(kinds, group) }
    : undefined;
}

/** `/api/v1` and `/apis/{group}/{version}`. */
export function resourceList(
  kinds: KindRegistry,
  group: string,
  version: string,
): JsonObject | undefined {
  const served = kinds
    .all()
    .filter(
      kind =>
        kind.group === group &&
        kind.versions.some(item => item.version === version),
    );
  const resources = served.flatMap(describeResource);
  if (group === REVIEWS && version === 'v1') {
    resources.push({
      name: 'selfsubjectaccessreviews',
      singularName: '',
      namespaced: false,
      kind: 'SelfSubjectAccessReview',
      verbs: ['create'],
    });
  }
  return resources.length === 0
    ? undefined
    : {
        kind: 'APIResourceList',
        apiVersion: 'v1',
        groupVersion: apiVersionOf(group, version),
        resources,
      };
}

function describeResource(kind: Kind): JsonObject[] {
  const { plural, namespaced } = kind;
  const common = {
    singularName: kind.definedBy ? kind.singular : '',
    namespaced,
  };
  return [
    {
      name: plural,
      ...common,
      kind: kind.kind,
      verbs: VERBS,
      ...(kind.shortNames.length > 0 ? { shortNames: kind.shortNames } : {}),
      ...(kind.categories.length > 0 ? { categories: kind.categories } : {}),
    },
    ...(kind.scale
      ? [
          {
            name: `${plural}/scale`,
            singularName: '',
            namespaced,
            group: 'autoscaling',
            version: 'v1',
            kind: 'Scale',
            verbs: SUBRESOURCE_VERBS,
          },
        ]
      : []),
    ...(kind.status
      ? [
          {
            name: `${plural}/status`,
            singularName: '',
            namespaced,
            kind: kind.kind,
            verbs: SUBRESOURCE_VERBS,
          },
        ]
      : []),
  ];
}

/** `/openapi/v2`: the definitions of all kinds, each with its group, version and kind; no paths. */
export function openApi(kinds: KindRegistry): JsonObject {
  const custom: { [name: string]: Schema } = {};
  for (const kind of kinds.all().filter(item => item.definedBy)) {
    const home = kind.group.split('.').reverse().join('.');
    for (const { version, schema } of kind.versions) {
      custom[`${home}.${version}.${kind.kind}`] = {
        ...schema,
        'x-kubernetes-group-version-kind': [
          { group: kind.group, version, kind: kind.kind },
        ],
      };
    }
  }
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: `${VERSION.gitVersion}` },
    paths: {},
    definitions: { ...definitions, ...custom } as unknown as JsonObject,
  };
}

/** What is found under a path that is no resource, or undefined. */
export function discover(
  kinds: KindRegistry,
  url: string,
): JsonObject | undefined {
  const parts = url.split('/').filter(Boolean);
  switch (parts.join('/')) {
    case 'version':
      return VERSION;
    case 'api':
      return {
        kind: 'APIVersions',
        versions: ['v1'],
        serverAddressByClientCIDRs: [],
      };
    case 'api/v1':
      return resourceList(kinds, '', 'v1');
    case 'apis':
      return groupList(kinds);
    case 'openapi/v2':
      return openApi(kinds);
    default:
  }
  if (parts[0] !== 'apis') {
    return undefined;
  }
  return parts.length === 2
    ? oneGroup(kinds, parts[1])
    : resourceList(kinds, parts[1], parts[2]);
}
