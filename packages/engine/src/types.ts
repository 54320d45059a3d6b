/**
 * The engine's words: plain data only, so that every input can be stored, replayed and shown.
 *
 * @packageDocumentation
 */

/**
 * Any JSON value. Integers outside the double-precision range are `bigint`, so that no digit is lost
 * (see `parseJson` and `stringifyJson`).
 *
 * @public
 */
export type Json =
  | null
  | boolean
  | number
  | bigint
  | string
  | Json[]
  | { [key: string]: Json };

/** @public */
export type JsonObject = { [key: string]: Json };

/**
 * RFC 6901 pointer into a normalised document; list items by key: `/spec/containers/[name=app]/image`;
 * members of a set by value: `/metadata/finalizers/[=example.com/hold]` (with `~1` for the slash).
 *
 * @public
 */
export type Pointer = string;

/** @public */
export const VERDICTS = [
  'InSync',
  'Pending',
  'Drifted',
  'Missing',
  'Orphaned',
  'Conflicted',
  'Contested',
  'NonConvergent',
  'Invalid',
  'Blocked',
  'Unknown',
] as const;

/** @public */
export type Verdict = (typeof VERDICTS)[number];

/** Older names of fields, and what each is called now. @public */
export type Aliases = Record<string, string | string[]>;

/**
 * How a value at one place is compared. Plain JSON: a platform supplies it, a decision stores its digest, a file can hold it.
 *
 * @public
 */
export interface FieldSchema {
  /** Points into `ResourceSchema.definitions` for shared and recursive types; all other keys then add to it. */
  ref?: string;
  /** `object`: known properties. `map`: free keys, one value schema. `any`: compared as it is. */
  type?:
    | 'object'
    | 'map'
    | 'list'
    | 'string'
    | 'integer'
    | 'number'
    | 'boolean'
    | 'intOrString'
    | 'quantity'
    | 'duration'
    | 'any';
  properties?: Record<string, FieldSchema>;
  values?: FieldSchema;
  items?: FieldSchema;
  /** `atomic`: whole and in order. `set`: members without order. `map`: items by `keys`. */
  list?: 'atomic' | 'set' | 'map';
  keys?: string[];
  /** A reader may care about the order of this list, although a difference in order is no drift. */
  showOrder?: boolean;
  required?: string[];
  /** What the platform fills in where nothing was given. */
  default?: Json;
  /** `null` is a value of its own here and not the same as absent. */
  nullable?: boolean;
  /** `{}`, `[]` or `""` mean the same as absent here. */
  emptyIsAbsent?: boolean;
  /** `false` and `0` mean the same as absent here (in Go, no pointer). */
  zeroIsAbsent?: boolean;
  /** An object or map that one manager owns as a whole: a key that only live has is drift. */
  atomic?: boolean;
  /** A `set` to which others may add: a member that only live has is an extra and no drift. */
  open?: boolean;
  /** Prefixes of members of an open set that a controller adds for its own book-keeping: never compared, never an extra. */
  serverMembers?: string[];
  /** Members of an open set that the server adds by itself: never an extra, and compared only where they are declared. */
  allocatedMembers?: string[];
  /** Filled in by the platform or by a controller where nothing was given: such a value is as good as a default. */
  allocated?: boolean;
  /** Properties that `properties` does not name may be secrets, and are treated as such. */
  unknownSecret?: boolean;
  /** Nothing but names is known below: fields named as time spans are Go durations, resource lists hold quantities. */
  wellKnownNames?: boolean;
  /** Nothing is filled in below: the server keeps what it does not know as it is, lists as a whole. */
  verbatim?: boolean;
  /** Compared as a quantity, duration or point in time where both sides are one, and as it is otherwise. */
  lenient?: 'quantity' | 'duration' | 'time';
  /** Base64 of bytes: line breaks inside do not count, and a declared value that is none is refused. */
  base64?: boolean;
  /** A declared value that is none of these is refused. */
  enum?: Json[];
  /** A declared number below or above is refused. */
  minimum?: number;
  maximum?: number;
  /** A `set` whose declaration is refused where a member is there twice. */
  unique?: boolean;
  /** What comes back may lack it although it is set: that live has none proves nothing. */
  withheld?: boolean;
  /** Belongs to the server: never compared, never shown as an extra. */
  serverOwned?: boolean;
  /** Never comes back in clear: a declared value cannot be compared with the live one. */
  writeOnly?: boolean;
  /** Replaced by a keyed digest before anything is stored or printed. */
  secret?: boolean;
  /** Differences in leading and trailing white space do not count (PEM blocks). */
  trim?: boolean;
  /** Compared without regard to case (DNS names, HTTP methods where the platform folds them). */
  ignoreCase?: boolean;
  /** The server drops fields that `properties` does not name: they cannot drift, and a warning says so. */
  pruneUnknown?: boolean;
  /**
   * Older names of properties: old name → new name, with slashes where one lies deeper (`redis_host` → `redis/host`);
   * several new names where the value of one old field stands for all of them.
   */
  aliases?: Aliases;
}

/**
 * The schema of one kind. `rules` name kind-wide normalisations that are more than one field's business.
 *
 * @public
 */
export interface ResourceSchema {
  /** `apps/v1/Deployment`, or a Konnect collection such as `services`. */
  kind: string;
  platform: 'kubernetes' | 'konnect' | string;
  root: FieldSchema;
  definitions?: Record<string, FieldSchema>;
  /**
   * Named whole-document rules, applied in this order before anything else: for example `kubernetes.stringData`,
   * `konnect.serviceUrl`. The engine knows each by name and reports one that it does not know.
   */
  rules?: string[];
  /** `true` where nothing but the document itself is known (no schema could be had). */
  partial?: boolean;
  /** `required` is what the platform insists on: a write that leaves such a field out is refused. */
  insists?: boolean;
  /**
   * Where the owner's mark stands: members of the list at `path` that begin with `prefix`, or pairs of the map there
   * that do so when written `name:value`.
   */
  ownershipMark?: { path: Pointer; prefix: string };
}

/** Who set a field, from managedFields or from an audit log. @public */
export interface FieldOwner {
  manager: string;
  operation?: 'Apply' | 'Update' | string;
  subresource?: string;
  /** ISO 8601, as the platform says it. */
  time?: string;
  /** It is our own manager. */
  ours?: boolean;
}

/** Something wrong with a document, at a place. Never quotes a secret value. @public */
export interface Problem {
  path: Pointer;
  /** CamelCase, for example `DuplicateKey`, `WrongType`, `DanglingReference`. */
  reason: string;
  message: string;
}

/**
 * One side of a resource, normalised and redacted: safe to store and show.
 *
 * @public
 */
export interface State {
  value: Json;
  /** Digest of `value`; equal digests mean equal states. */
  digest: string;
  problems: Problem[];
  warnings: Problem[];
  /** Owners by pointer, where the document says who owns what. */
  owners?: Record<Pointer, FieldOwner[]>;
}

/** @public */
export type MovedBy = 'declared' | 'live' | 'both' | 'unknown';

/** One drifted field. A key that is absent here is absent on that side. @public */
export interface FieldChange {
  path: Pointer;
  declared?: Json;
  live?: Json;
  lastAgreed?: Json;
  /** `differs`: both have it. `absent`: live lacks it. `leftover`: we set it once and no longer declare it. */
  kind: 'differs' | 'absent' | 'leftover';
  movedBy: MovedBy;
  owners?: FieldOwner[];
  secret?: boolean;
  /** Another controller owns it and keeps it (an autoscaler). */
  contested?: boolean;
}

/** A live field that nobody declared. @public */
export interface ExtraField {
  path: Pointer;
  live: Json;
  /** It equals what the platform fills in by itself. Those are not in `expect.extras` of a case. */
  isDefault?: boolean;
  owners?: FieldOwner[];
}

/** @public */
export interface Comparison {
  changes: FieldChange[];
  extras: ExtraField[];
  reordered: Pointer[];
  warnings: Problem[];
}

/**
 * What is known besides the two documents. The caller states facts; the engine judges them.
 *
 * @public
 */
export interface Facts {
  /** A side could not be read freshly: nothing can be said. */
  unverified?: { reason: string; message: string };
  /** The live object bears somebody else's ownership mark. */
  foreignOwner?: { owner: string };
  /** Other declarations that claim the same live object. */
  rivalClaims?: string[];
  /** Several live objects answer to this declaration. */
  ambiguousMatches?: string[];
  /** Something we depend on is not there yet, or we may not act. */
  blocked?: { reason: string; message: string };
  /** Reads in a row, each complete, in which a live object of ours had no declaration. */
  orphanSightings?: number;
  /** Acknowledged writes in a row after which a fresh read showed the same difference. */
  sameDiffAfterWrites?: number;
  /** Two writers fight over it: heat over the limit, or a cycle of digests. */
  fight?: { rival?: string; message: string };
  /** The resource was seen equal on both sides at least once before, or created by us. */
  createdBefore?: boolean;
  /** The rule-1 check failed too often: somebody writes at the same time. */
  concurrentWriter?: { attempts: number };
  /** Differences whose live value a person decided to keep; each counts while both values are as they were seen. */
  kept?: AcceptedDifference[];
}

/** @public */
export interface EvaluateInput {
  schema: ResourceSchema;
  /** `null`: no declaration (any more). */
  declared: State | null;
  /** `null`: a fresh read of the authoritative side answered 404. */
  live: State | null;
  /** Absent: no history. */
  lastAgreed?: State;
  /** Fields that our own earlier writes set. */
  ownedBefore?: Pointer[];
  /**
   * What a dry run of the write would leave: a difference that is still there after it is the server's doing
   * (a webhook that rewrites) and no drift.
   */
  dryRun?: State;
  facts?: Facts;
}

/** @public */
export interface Evaluation {
  verdict: Verdict;
  /** CamelCase. */
  reason: string;
  /** One sentence for people. */
  message: string;
  /** Identifier of the row of the classification table that fired. */
  rule: string;
  changes: FieldChange[];
  extras: ExtraField[];
  reordered: Pointer[];
  warnings: Problem[];
  problems: Problem[];
}

/** A difference that a person decided to leave: holds only while both values stay as they were seen. @public */
export interface AcceptedDifference {
  path: Pointer;
  declared?: Json;
  live?: Json;
}

/** The policy in force for one resource; see DESIGN.md "Policy". @public */
export interface EffectivePolicy {
  mode: 'observe' | 'ask' | 'enforce';
  onLiveEdit: 'revert' | 'ask' | 'accept';
  onFirstSight: 'ask' | 'declared' | 'live';
  actuator: 'direct' | 'operator';
  prune: boolean;
  paused: boolean;
}

/** @public */
export interface DecideInput {
  evaluation: Evaluation;
  policy: EffectivePolicy;
  /** Differences that a person accepted (already checked by the caller to be about this resource). */
  accepted?: AcceptedDifference[];
  /**
   * A person's choice, already checked to be about exactly this state:
   * `declared` puts the declared side back, `live` leaves the live side, both for `paths` (absent: all).
   */
  choice?: { side: 'declared' | 'live'; paths?: Pointer[] };
}

/**
 * - `none`: nothing to do. - `create`, `update`, `delete`: write to the platform. - `nudge`: ask the owning controller.
 * - `propose`: a plan waits for a person. - `ask`: a conflict waits for a person. - `hold`: may not act; look again later.
 *
 * @public
 */
export type Action =
  | 'none'
  | 'create'
  | 'update'
  | 'delete'
  | 'nudge'
  | 'propose'
  | 'ask'
  | 'hold';

/** @public */
export interface Decision {
  action: Action;
  /** Identifier of the row of the decision table that fired. */
  rule: string;
  /** One sentence for people: what happens and why. */
  message: string;
  /** Fields to set to their declared value, or to remove where `kind` is `leftover`. */
  fields: Pointer[];
  /** Drifted fields that stay as they are live (accepted, contested, or waiting for a person). */
  kept: Pointer[];
  /** Those of `kept` that wait for a person. Absent: none. */
  asks?: Pointer[];
}

/**
 * Makes the keyed digest of one secret value. Injected: the engine has no key and no crypto of its own.
 *
 * @public
 */
export type SecretDigest = (value: string) => string;

/** @public */
export interface NormaliseOptions {
  schema: ResourceSchema;
  side: 'declared' | 'live';
  secretDigest: SecretDigest;
  /** Name of our own field manager, to tell our fields from others'. */
  ourManager?: string;
}
