/**
 * Interfaces and extension points for platforms and declaration sources of the drift backend.
 *
 * @packageDocumentation
 */
export type {
  ControllerEvidence,
  DeclarationOrigin,
  DeclarationPage,
  DeclarationSource,
  DeclaredRead,
  DeclaredResource,
  LiveReference,
  OwnershipMark,
} from './declared';
export type {
  LiveObject,
  LiveRead,
  Platform,
  PlatformBudget,
  PlatformHealth,
  PlatformProbe,
  RemovePlan,
  SweepPage,
  SweepScope,
  WritePlan,
  WriteReceipt,
} from './platform';
export {
  at,
  isObject,
  listAt,
  stringMapAt,
  textAt,
  textsAt,
  without,
} from './json';
export { isPlatformError, PlatformError } from './errors';
export type { ErrorClass } from './errors';
export {
  driftDeclarationsExtensionPoint,
  driftPlatformsExtensionPoint,
} from './extensionPoints';
export type {
  CustomResourceMapper,
  DriftContext,
  DriftDeclarationsExtensionPoint,
  DriftPlatformsExtensionPoint,
} from './extensionPoints';
export type { RequestGate } from './requestGate';
