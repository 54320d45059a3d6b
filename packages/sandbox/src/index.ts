// A stand-in for the Konnect API and for a Kubernetes API server on loopback. Neither is the real thing.
export * from './konnect';
export { createFaults, FAULT_KINDS } from './faults';
export type {
  Fault,
  FaultKind,
  FaultOptions,
  FaultOrder,
  Faults,
} from './faults';
