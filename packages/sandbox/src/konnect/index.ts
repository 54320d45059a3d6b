// A stand-in for the Konnect API, for trying Plumbline out and for its tests. It is not Konnect.
export { createKonnectSandbox } from './server';
export type { KonnectSandbox, KonnectSandboxOptions } from './server';
export type { KonnectToken, RateLimit } from './access';
export { KonnectStore } from './store';
export type { KonnectSnapshot } from './store';
export { KonnectAnswer } from './errors';
export { COLLECTIONS, KINDS } from './kinds';
export type { Collection } from './kinds';
export type { ControlPlane, ControlPlaneInput } from './controlPlane';
export type { Entity } from './entityTable';
export type { JournalEntry } from './journal';
export type { RequestCount, RequestReport } from './requestLog';
export type { JsonObject, JsonValue } from './json';
