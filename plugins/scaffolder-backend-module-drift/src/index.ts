/**
 * Scaffolder actions that declare managed resources and wait for them to be in sync.
 *
 * @packageDocumentation
 */
export { scaffolderModuleDrift as default } from './module';
