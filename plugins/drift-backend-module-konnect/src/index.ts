/**
 * Kong Konnect as a platform of the drift backend, and the mapper from Kong's custom resources.
 *
 * @packageDocumentation
 */
export { driftModuleKonnect as default } from './module';
export { createKonnectParts } from './create';
export type { KonnectParts } from './create';
export type { KonnectPlatformOptions } from './platform';
export type { ControlPlaneConfig } from './config';
