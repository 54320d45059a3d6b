// Own definitions of Kong's kinds for certificates, vaults and keys, and of the grants that some of them need.
import { JsonObject } from '../konnect/json';
import {
  anything,
  choice,
  CONFIGURATION,
  controlPlaneRef,
  definition,
  entity,
  list,
  record,
  ref,
  text,
} from './crdParts';

const source = { ...choice('inline', 'secretRef'), default: 'inline' };
const V1ALPHA1 = 'v1alpha1';

/** In the order in which they refer to each other. */
export const certificateCrds: JsonObject[] = [
  entity(
    V1ALPHA1,
    'KongCertificate',
    {
      controlPlaneRef,
      type: source,
      cert: text,
      key: text,
      cert_alt: text,
      key_alt: text,
      secretRef: ref,
      secretRefAlt: ref,
    },
    ['controlPlaneRef'],
  ),
  entity(
    V1ALPHA1,
    'KongCACertificate',
    { controlPlaneRef, type: source, cert: text, secretRef: ref },
    ['controlPlaneRef'],
  ),
  entity(V1ALPHA1, 'KongSNI', { certificateRef: ref, name: text }, [
    'certificateRef',
    'name',
  ]),
  entity(
    V1ALPHA1,
    'KongVault',
    {
      controlPlaneRef,
      backend: text,
      prefix: text,
      description: text,
      config: anything,
    },
    ['backend', 'prefix'],
    'Cluster',
  ),
  entity(V1ALPHA1, 'KongKeySet', { controlPlaneRef, name: text }, [
    'controlPlaneRef',
    'name',
  ]),
  entity(
    V1ALPHA1,
    'KongKey',
    {
      controlPlaneRef,
      keySetRef: record(
        {
          type: choice('konnectID', 'namespacedRef'),
          konnectID: text,
          namespacedRef: record({ name: text }, ['name']),
        },
        ['type'],
      ),
      kid: text,
      name: text,
      jwk: text,
      pem: record({ private_key: text, public_key: text }, [
        'private_key',
        'public_key',
      ]),
    },
    ['kid'],
  ),
  definition(
    CONFIGURATION,
    V1ALPHA1,
    'KongReferenceGrant',
    record({
      apiVersion: text,
      kind: text,
      metadata: { type: 'object' },
      spec: record(
        {
          from: list(
            record({ group: text, kind: text, namespace: text }, [
              'group',
              'kind',
            ]),
          ),
          to: list(record({ group: text, kind: text, name: text }, ['group'])),
        },
        ['from', 'to'],
      ),
    }),
  ),
];
