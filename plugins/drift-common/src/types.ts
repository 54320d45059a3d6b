/** The API's types by their short names; the OpenAPI document is where they are defined. */
import type { components } from './schema/openapi.generated';

type Schemas = components['schemas'];

/** @public */
export type ApiResourceSummary = Schemas['ResourceSummary'];
/** @public */
export type ApiResourceDetail = Schemas['ResourceDetail'];
/** @public */
export type ApiFieldChange = Schemas['FieldChange'];
/** @public */
export type ApiExtraField = Schemas['ExtraField'];
/** @public */
export type ApiFieldOwner = Schemas['FieldOwner'];
/** @public */
export type ApiSummary = Schemas['Summary'];
/** @public */
export type ApiPlan = Schemas['Plan'];
/** @public */
export type ApiGuardAnswer = Schemas['GuardAnswer'];
/** @public */
export type ApiActionResult = Schemas['ActionResult'];
/** @public */
export type ApiEpisode = Schemas['Episode'];
/** @public */
export type ApiDecisionRecord = Schemas['DecisionRecord'];
/** @public */
export type ApiConflict = Schemas['Conflict'];
/** @public */
export type ApiQuestionKind = Schemas['QuestionKind'];
/** @public */
export type ApiFleet = Schemas['Fleet'];
/** @public */
export type ApiPlatformStatus = Schemas['PlatformStatus'];
/** @public */
export type ApiPolicyRule = Schemas['PolicyRule'];
/** @public */
export type ApiPolicyRuleInput = Schemas['PolicyRuleInput'];
/** @public */
export type ApiPolicyScope = Schemas['PolicyScope'];
/** @public */
export type ApiPolicySettings = Schemas['PolicySettings'];
/** @public */
export type ApiEffectivePolicy = Schemas['EffectivePolicy'];
/** @public */
export type ApiSeen = Schemas['Seen'];
/** @public */
export type ApiSide = Schemas['Side'];
/** @public */
export type ApiNext = Schemas['Next'];
/** @public */
export type ApiProblem = Schemas['Problem'];
