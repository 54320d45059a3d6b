/**
 * The rules of single kinds that people run into most: selectors and template labels, immutable fields, ports, keys.
 * It is not the whole of what an API server checks.
 */
import {
  Cause,
  duplicate,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from './errors';
import { Json, JsonObject, at, equal, isObject, objects } from './json';
import { KubeObject } from './types';

/** What is wrong with an object; `live` is the object before an update. */
export type Rule = (
  object: KubeObject,
  live: KubeObject | undefined,
) => Cause[];

const portRange = (port: Json | undefined, path: string): Cause[] =>
  typeof port === 'number' && (port < 1 || port > 65535)
    ? [invalidValue(path, port, 'must be between 1 and 65535, inclusive')]
    : [];

const podTemplate = (object: JsonObject): Cause[] =>
  containers(at(object, 'spec', 'template', 'spec'), 'spec.template.spec');

function containers(spec: Json | undefined, path: string): Cause[] {
  const list = objects(at(spec, 'containers'));
  const causes: Cause[] = [];
  if (list.length === 0 && path !== 'spec') {
    causes.push(required(`${path}.containers`));
  }
  const names = new Set<Json | undefined>();
  list.forEach((container, index) => {
    const where = `${path}.containers[${index}]`;
    if (container.name !== undefined && names.has(container.name)) {
      causes.push(duplicate(`${where}.name`, container.name));
    }
    names.add(container.name);
    if (path === 'spec' && !container.image) {
      causes.push(required(`${where}.image`));
    }
    objects(container.ports).forEach((port, at_) => {
      causes.push(
        ...portRange(
          port.containerPort,
          `${where}.ports[${at_}].containerPort`,
        ),
      );
    });
  });
  return causes;
}

function selects(object: JsonObject): Cause[] {
  const labels = at(object, 'spec', 'template', 'metadata', 'labels');
  const wanted = at(object, 'spec', 'selector', 'matchLabels');
  const matches =
    isObject(at(object, 'spec', 'selector')) &&
    Object.entries(isObject(wanted) ? wanted : {}).every(
      ([key, value]) => at(labels, key) === value,
    );
  return matches
    ? []
    : [
        invalidValue(
          'spec.template.metadata.labels',
          isObject(labels) ? labels : {},
          '`selector` does not match template `labels`',
        ),
      ];
}

const immutable =
  (...paths: string[]): Rule =>
  (object, live) =>
    paths.flatMap(path =>
      live &&
      !equal(at(object, ...path.split('.')), at(live, ...path.split('.')))
        ? [
            invalidValue(
              path,
              at(object, ...path.split('.')) ?? null,
              'field is immutable',
            ),
          ]
        : [],
    );

const all =
  (...rules: Rule[]): Rule =>
  (object, live) =>
    rules.flatMap(rule => rule(object, live));

function replicas(object: KubeObject): Cause[] {
  const count = at(object, 'spec', 'replicas');
  return typeof count === 'number' && count < 0
    ? [
        invalidValue(
          'spec.replicas',
          count,
          'must be greater than or equal to 0',
        ),
      ]
    : [];
}

function statefulSet(
  object: KubeObject,
  live: KubeObject | undefined,
): Cause[] {
  const changeable = [
    'replicas',
    'template',
    'updateStrategy',
    'revisionHistoryLimit',
  ];
  const rest = (value: Json | undefined) =>
    isObject(value)
      ? Object.fromEntries(
          Object.entries(value).filter(([key]) => !changeable.includes(key)),
        )
      : {};
  return live && !equal(rest(object.spec), rest(live.spec))
    ? [
        forbiddenField(
          'spec',
          "updates to statefulset spec for fields other than 'replicas', 'template', and 'updateStrategy' are forbidden",
        ),
      ]
    : [];
}

const IP_FAMILY_FREE = ['ExternalName'];

function service(object: KubeObject, live: KubeObject | undefined): Cause[] {
  const spec = isObject(object.spec) ? object.spec : {};
  const causes: Cause[] = [];
  const type = `${spec.type}`;
  const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
  if (!types.includes(type)) {
    causes.push(notSupported('spec.type', spec.type, types));
  }
  if (type === 'ExternalName' && !spec.externalName) {
    causes.push(required('spec.externalName'));
  }
  const ports = objects(spec.ports);
  if (
    ports.length === 0 &&
    spec.clusterIP !== 'None' &&
    !IP_FAMILY_FREE.includes(type)
  ) {
    causes.push(required('spec.ports'));
  }
  ports.forEach((port, index) => {
    causes.push(
      ...portRange(port.port, `spec.ports[${index}].port`),
      ...portRange(port.targetPort, `spec.ports[${index}].targetPort`),
    );
    if (ports.length > 1 && !port.name) {
      causes.push(required(`spec.ports[${index}].name`));
    }
    const protocols = ['SCTP', 'TCP', 'UDP'];
    if (!protocols.includes(`${port.protocol}`)) {
      causes.push(
        notSupported(`spec.ports[${index}].protocol`, port.protocol, protocols),
      );
    }
    const same = ports.findIndex(
      other => other.port === port.port && other.protocol === port.protocol,
    );
    if (same < index) {
      causes.push(
        duplicate(`spec.ports[${index}]`, {
          port: port.port,
          protocol: port.protocol,
        }),
      );
    }
  });
  const before = at(live, 'spec', 'clusterIP');
  if (before && type !== 'ExternalName' && spec.clusterIP !== before) {
    causes.push(
      invalidValue(
        'spec.clusterIP',
        spec.clusterIP ?? '',
        'field is immutable',
      ),
    );
  }
  return causes;
}

function dataKeys(object: KubeObject): Cause[] {
  return ['data', 'binaryData'].flatMap(field => {
    const data = at(object, field);
    return Object.keys(isObject(data) ? data : {})
      .filter(key => !/^[-._a-zA-Z0-9]+$/.test(key))
      .map(key =>
        invalidValue(
          `${field}[${key}]`,
          key,
          "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
        ),
      );
  });
}

function frozenData(object: KubeObject, live: KubeObject | undefined): Cause[] {
  const same =
    equal(object.data, live?.data) &&
    equal(object.binaryData, live?.binaryData);
  return live?.immutable === true && (!same || object.immutable !== true)
    ? [forbiddenField('data', 'field is immutable when `immutable` is set')]
    : [];
}

function binding(object: KubeObject, live: KubeObject | undefined): Cause[] {
  return live && !equal(object.roleRef, live.roleRef)
    ? [invalidValue('roleRef', object.roleRef ?? null, 'cannot change roleRef')]
    : [];
}

function autoscaler(object: KubeObject): Cause[] {
  const [min, max] = [
    at(object, 'spec', 'minReplicas'),
    at(object, 'spec', 'maxReplicas'),
  ];
  const causes: Cause[] = [];
  if (typeof max === 'number' && max < 1) {
    causes.push(
      invalidValue('spec.maxReplicas', max, 'must be greater than 0'),
    );
  }
  if (typeof max === 'number' && typeof min === 'number' && max < min) {
    causes.push(
      invalidValue(
        'spec.maxReplicas',
        max,
        'must be greater than or equal to `minReplicas`',
      ),
    );
  }
  return causes;
}

function ingress(object: KubeObject): Cause[] {
  const spec = isObject(object.spec) ? object.spec : {};
  return spec.rules === undefined && spec.defaultBackend === undefined
    ? [
        invalidValue(
          'spec',
          spec,
          'either `defaultBackend` or `rules` must be specified',
        ),
      ]
    : [];
}

function claim(object: KubeObject, live: KubeObject | undefined): Cause[] {
  const spec = isObject(object.spec) ? object.spec : {};
  const causes: Cause[] = [];
  if (!Array.isArray(spec.accessModes) || spec.accessModes.length === 0) {
    causes.push(
      required('spec.accessModes', 'at least 1 access mode is required'),
    );
  }
  if (at(spec, 'resources', 'requests', 'storage') === undefined) {
    causes.push(required('spec.resources[storage]'));
  }
  const rest = (value: Json | undefined) => {
    const {
      resources: _,
      volumeName: __,
      ...other
    } = isObject(value) ? value : {};
    return other;
  };
  if (live && !equal(rest(spec), rest(live.spec))) {
    causes.push(
      forbiddenField(
        'spec',
        'spec is immutable after creation except resources.requests for bound claims',
      ),
    );
  }
  return causes;
}

function pod(object: KubeObject, live: KubeObject | undefined): Cause[] {
  const causes = containers(object.spec, 'spec');
  const rest = (value: Json | undefined): JsonObject => {
    const {
      containers: list,
      tolerations: _,
      activeDeadlineSeconds: __,
      ...other
    } = isObject(value) ? value : {};
    const bare = objects(list).map(({ image: ___, ...container }) => container);
    return { ...other, containers: bare };
  };
  if (live && !equal(rest(object.spec), rest(live.spec))) {
    causes.push(
      forbiddenField(
        'spec',
        'pod updates may not change fields other than `spec.containers[*].image`, `spec.initContainers[*].image`, `spec.activeDeadlineSeconds` or `spec.tolerations` (only additions to existing tolerations)',
      ),
    );
  }
  return causes;
}

function restarts(...path: string[]): Rule {
  return object => {
    const policy = at(object, ...path, 'restartPolicy');
    return policy === 'OnFailure' || policy === 'Never'
      ? []
      : [
          notSupported([...path, 'restartPolicy'].join('.'), policy ?? '', [
            'OnFailure',
            'Never',
          ]),
        ];
  };
}

const workload = all(replicas, selects, podTemplate);

/** The rules by kind. */
export const RULES: { [kind: string]: Rule } = {
  Pod: pod,
  Deployment: all(workload, immutable('spec.selector')),
  ReplicaSet: all(workload, immutable('spec.selector')),
  DaemonSet: all(selects, podTemplate, immutable('spec.selector')),
  StatefulSet: all(workload, statefulSet),
  Job: all(
    podTemplate,
    restarts('spec', 'template', 'spec'),
    immutable('spec.selector', 'spec.template', 'spec.completions'),
  ),
  CronJob: restarts('spec', 'jobTemplate', 'spec', 'template', 'spec'),
  Service: service,
  ConfigMap: all(dataKeys, frozenData),
  Secret: all(dataKeys, frozenData, immutable('type')),
  RoleBinding: binding,
  ClusterRoleBinding: binding,
  HorizontalPodAutoscaler: autoscaler,
  Ingress: ingress,
  PersistentVolumeClaim: claim,
};
