/**
 * The pure drift engine: normalise → compare → classify → decide. No I/O, no clock, no Node built-ins.
 *
 * @packageDocumentation
 */
export * from './types';
export { parseJson } from './json/parse';
export { canonical, digest, stringifyJson } from './json/canonical';
export {
  formatPointer,
  getAt,
  parsePointer,
  removeAt,
  setAt,
  type PointerToken,
} from './pointer';
export {
  acknowledgedState,
  agreedState,
  normalise,
  normaliseRaw,
} from './normalise/normalise';
export { RULE_NAMES } from './normalise/rules';
export { isRedacted, type Redacted } from './redact/secrets';
export { redactText } from './redact/text';
export { compare, type CompareInput } from './compare/compare';
export { ownedPointers } from './compare/owned';
export {
  CLASSIFICATION_TABLE,
  NON_CONVERGENT_WRITES,
  ORPHAN_SIGHTINGS,
  type ClassificationRow,
  type Situation,
} from './classificationTable';
export { classify, evaluate } from './classify';
export {
  DECISION_TABLE,
  decide,
  type DecisionRow,
  type Question,
} from './decide';
export { overlay, type OverlayArgs } from './overlay';
export {
  kubernetesSchema,
  type KubernetesSchemaSource,
} from './kubernetes/schema';
export { KONNECT_COLLECTIONS, konnectSchema } from './konnect/schema';
export { sayChange, sayValue } from './say';
export { classificationTableMarkdown, decisionTableMarkdown } from './docs';
