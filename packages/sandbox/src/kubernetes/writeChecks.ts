/** Everything that may forbid a write, each with the error that says so. */
import { validateCrd } from './crds';
import {
  MODIFIED,
  badRequest,
  conflict,
  forbidden,
  forbiddenField,
  invalid,
  notFound,
} from './errors';
import { metadataCauses } from './metadataRules';
import { builtInCauses } from './rules';
import { Store, keyOf } from './store';
import { Target, WriteOptions } from './target';
import { KubeObject } from './types';
import { validate } from './validate';
import { ReadObject } from './versions';

/** @throws StatusError 400 for another namespace, 404 for an absent one, 403 for one that is being deleted */
export function assertNamespace(
  store: Store,
  target: Target,
  object: KubeObject,
): void {
  const { kind, namespace, name } = target;
  const own = object.metadata.namespace;
  if (kind.namespaced && own !== undefined && own !== '' && own !== namespace) {
    throw badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  }
  if (!kind.namespaced || !namespace) {
    return;
  }
  const found = store.get('/namespaces', keyOf(undefined, namespace));
  if (!found) {
    throw notFound(
      { group: '', plural: 'namespaces', kind: 'Namespace' },
      namespace,
    );
  }
  if (found.metadata.deletionTimestamp) {
    throw forbidden(
      kind,
      name,
      `unable to create new content in namespace ${namespace} because it is being terminated`,
      [
        {
          reason: 'NamespaceTerminating',
          message: `namespace ${namespace} is being terminated`,
          field: 'metadata.namespace',
        },
      ],
    );
  }
}

/** @throws StatusError where the new object is not the live one, or not made from its present version */
export function assertIdentity(
  { kind, namespace, name }: Target,
  next: KubeObject,
  live: KubeObject,
): void {
  const { metadata } = next;
  if (metadata.name !== undefined && metadata.name !== name) {
    throw badRequest(
      `the name of the object (${metadata.name}) does not match the name on the URL (${name})`,
    );
  }
  metadata.name = name;
  if (
    kind.namespaced &&
    metadata.namespace &&
    metadata.namespace !== namespace
  ) {
    throw badRequest(
      `the namespace of the object (${metadata.namespace}) does not match the namespace on the request (${namespace})`,
    );
  }
  const version = metadata.resourceVersion;
  if (version && version !== live.metadata.resourceVersion) {
    throw conflict(kind, name, MODIFIED);
  }
  if (!version && kind.definedBy) {
    throw invalid(kind.group, kind.plural, name, [
      {
        reason: 'FieldValueInvalid',
        message: 'Invalid value: 0x0: must be specified for an update',
        field: 'metadata.resourceVersion',
      },
    ]);
  }
  if (metadata.uid && metadata.uid !== live.metadata.uid) {
    throw conflict(
      kind,
      name,
      `Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${live.metadata.uid}`,
    );
  }
  const before = live.metadata.finalizers ?? [];
  const added = (metadata.finalizers ?? []).filter(
    finalizer => !before.includes(finalizer),
  );
  if (live.metadata.deletionTimestamp && added.length > 0) {
    throw invalid(kind.group, kind.kind, name, [
      forbiddenField(
        'metadata.finalizers',
        `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added
          .map(item => JSON.stringify(item))
          .join(', ')}}`,
      ),
    ]);
  }
}

/** @throws StatusError 422 with everything that is wrong */
export function assertValid(
  target: Target,
  object: KubeObject,
  live: KubeObject | undefined,
): void {
  const { kind, version } = target;
  const causes = metadataCauses(kind, object);
  if (version.definition) {
    causes.push(...builtInCauses(version.definition, object, live));
  } else {
    causes.push(...validate(version.schema, object));
  }
  if (kind.kind === 'CustomResourceDefinition') {
    causes.push(...validateCrd(object));
  }
  if (causes.length > 0) {
    throw invalid(kind.group, kind.kind, object.metadata.name ?? '', causes);
  }
}

/** @throws StatusError 400 where strict validation meets a field that the kind does not have */
export function assertKnownFields(
  body: ReadObject,
  options: WriteOptions,
): void {
  if (options.fieldValidation === 'Strict' && body.unknown.length > 0) {
    const told = body.unknown.map(
      path => `unknown field ${JSON.stringify(path)}`,
    );
    throw badRequest(`strict decoding error: ${told.join(', ')}`);
  }
}
