// A stand-in for the Konnect API and for a Kubernetes API server on loopback. Neither is the real thing.
export * from './konnect';
export { createKubernetesSandbox } from './kubernetes';
export type {
  Access,
  AccessRule,
  KubernetesSandbox,
  KubernetesSandboxOptions,
  KubeObject,
  StoreSnapshot,
  TokenHolder,
} from './kubernetes';
export { createFaults, FAULT_KINDS } from './faults';
export type {
  Fault,
  FaultKind,
  FaultOptions,
  FaultOrder,
  Faults,
} from './faults';
export { seedSandbox } from './seed';
export type { SeedOptions } from './seed';
export { KONG_CRDS } from './seed/crds';
export { KubeClient } from './clients/kubeClient';
export { KonnectClient } from './clients/konnectClient';
export { startSandbox } from './runner/startSandbox';
export type { Sandbox, SandboxOptions } from './runner/startSandbox';
export {
  CATALOG_FILE,
  DEFAULT_DATA_DIR,
  DEFAULT_PORTS,
  TOKENS,
} from './runner/layout';
