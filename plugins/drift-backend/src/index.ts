/**
 * Reconcile loops and drift state for Backstage.
 *
 * @packageDocumentation
 */
export { driftPlugin as default } from './plugin';
export { EVENT_TOPIC, type DriftResourceEvent } from './announce/announcer';
