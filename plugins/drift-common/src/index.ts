/**
 * Types, permissions and the typed client of the drift plugins.
 *
 * @packageDocumentation
 */
export { formatResourceRef, resourceKey } from './ref';
export type { ResourceRef } from './ref';
export * from './types';
export { openApiDocument } from './schema/document.generated';
export * from './permissions';
export { DriftClient } from './client';
export type {
  CountedPage,
  DriftClientOptions,
  ListConflictsQuery,
  ListResourcesQuery,
  Page,
  PageQuery,
  SummaryQuery,
} from './client';
