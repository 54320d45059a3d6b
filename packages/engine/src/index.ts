/**
 * The pure drift engine: normalise, compare, classify, decide.
 *
 * @packageDocumentation
 */
export * from './types';
