/** A stand-in for a Kubernetes API server, for trying Plumbline out and for its tests. */
export { createKubernetesSandbox } from './server';
export type { KubernetesSandbox, KubernetesSandboxOptions } from './server';
export type { RunningSandbox } from './listen';
export type { Access, AccessRule, TokenHolder } from './access';
export type { RequestCount, RequestCounters } from './requests';
export type { Store, StoreEvent, StoreSnapshot } from './store';
export type { Json, JsonObject } from './json';
export type {
  KubeObject,
  ManagedFieldsEntry,
  ObjectMeta,
  OwnerReference,
} from './types';
