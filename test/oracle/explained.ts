/*
 * Where the engine and the oracle's server (Kubernetes 1.20) differ for a reason. docs/oracle.md tells each in full.
 */
import {
  canonical,
  FieldChange,
  getAt,
  Json,
  JsonObject,
} from '@plumbline/drift-engine';
import { Judgement, Pair } from './judge';

/** A disagreement that has a reason. */
export interface Explanation {
  id: string;
  /** One sentence: the reason. */
  why: string;
  fits(pair: Pair, judgement: Judgement): boolean;
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const valueAt = (document: Json, place: string): Json | undefined =>
  getAt(document, place.split('/').slice(1));

/** The value with every list sorted: equal for values that differ in order alone. */
function unordered(value: Json | undefined): Json {
  if (Array.isArray(value)) {
    return value
      .map(unordered)
      .sort((a, b) => (canonical(a) < canonical(b) ? -1 : 1));
  }
  if (isObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, child]) => [key, unordered(child)]),
    );
  }
  return value ?? null;
}

/** One place is the other, or holds it. */
const near = (a: string, b: string) =>
  a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);

/** Every place at which the server disagrees with the engine. */
function serverOnly({ server, evaluation }: Judgement): string[] {
  const ours = evaluation.changes.map(change => change.path.split('/[')[0]);
  return server.filter(place => !ours.some(path => near(path, place)));
}

/** Every change of the engine's at a place where the server would change nothing. */
function engineOnly({ server, evaluation }: Judgement): FieldChange[] {
  return evaluation.changes.filter(change => {
    const path = change.path.split('/[')[0];
    return !server.some(place => near(path, place));
  });
}

/** Places whose value the server works out from other fields. */
const COMPUTED =
  /containers$|\/spec\/limits$|\/spec\/ports$|\/spec\/policyTypes$|\/spec\/clusterIPs$|\/spec\/sessionAffinityConfig|\/spec\/targetCPUUtilizationPercentage$|\/manualSelector$/i;

/** Without any labels, workloads take those of their template. */
const isLabelled = (gvk: string, place: string) =>
  /\/(?:Job|ReplicaSet|ReplicationController|DaemonSet)$/.test(gvk) &&
  place.startsWith('/metadata/labels/');

const everywhere = (
  pair: Pair,
  judgement: Judgement,
  test: (
    declared: Json | undefined,
    live: Json | undefined,
    after: Json | undefined,
  ) => boolean,
) => {
  const places = serverOnly(judgement);
  return (
    places.length > 0 &&
    places.every(place =>
      test(
        valueAt(pair.declared, place),
        valueAt(pair.live, place),
        valueAt(pair.after, place),
      ),
    )
  );
};

function hasNull(value: Json | undefined): boolean {
  if (value === null) return true;
  if (Array.isArray(value)) return value.some(hasNull);
  return isObject(value) && Object.values(value).some(hasNull);
}

/** The value without empty objects, however deep. */
function withoutEmpty(value: Json | undefined): Json {
  if (Array.isArray(value)) {
    return value.map(withoutEmpty);
  }
  if (!isObject(value)) {
    return value ?? null;
  }
  const kept = Object.entries(value)
    .map(([key, child]) => [key, withoutEmpty(child)] as const)
    .filter(([, child]) => child !== null);
  return kept.length > 0 ? Object.fromEntries(kept) : null;
}

/** Does a list hold an item twice? */
const repeats = (list: Json | undefined) =>
  Array.isArray(list) &&
  new Set(list.map(item => canonical(item))).size < list.length;

/** Has an item a null where every live item has a scalar, as it has for a key? */
const hasNullKey = (item: JsonObject, live: Json[]) =>
  Object.entries(item).some(
    ([name, value]) =>
      value === null &&
      live.length > 0 &&
      live.every(
        one =>
          isObject(one) && !['undefined', 'object'].includes(typeof one[name]),
      ),
  );

export const EXPLANATIONS: Explanation[] = [
  {
    id: 'order-of-a-keyed-list',
    why: 'The server puts items of a keyed list in the declared order, or admission adds its items in an order of its own; the engine shows an order and does not call it drift.',
    fits: (pair, judgement) =>
      everywhere(
        pair,
        judgement,
        (_declared, live, after) =>
          canonical(unordered(live)) === canonical(unordered(after)),
      ),
  },
  {
    id: 'free-objects-were-atomic',
    why: 'Until 1.21 an object that keeps unknown fields was owned as a whole; since then field by field, as the engine has it.',
    fits: (pair, judgement) =>
      pair.gvk.includes('konghq.com') &&
      serverOnly(judgement).length > 0 &&
      serverOnly(judgement).every(place => place.startsWith('/spec/config/')),
  },
  {
    id: 'selectors-became-atomic',
    why: 'Label selectors are owned as a whole since 1.22, which the built-in snapshot knows and the oracle’s server does not yet do.',
    fits: (_pair, judgement) =>
      serverOnly(judgement).length === 0 &&
      engineOnly(judgement).every(change => /[sS]elector$/.test(change.path)),
  },
  {
    id: 'declared-null-in-a-map',
    why: 'A null value in a map of strings or quantities becomes its zero value; the engine reads a declared null as nothing.',
    fits: (pair, judgement) =>
      hasNull(pair.declared) &&
      [
        ...judgement.server,
        ...judgement.evaluation.changes.map(c => c.path),
      ].some(place => valueAt(pair.declared, place) === null),
  },
  {
    id: 'computed-default',
    why: 'The value that the server fills in depends on other fields (image tags, limits, the service type, labels of a template); the engine counts any value of such a field as filled in once nothing, or an empty value, is declared.',
    fits: (pair, judgement) =>
      [
        ...serverOnly(judgement),
        ...engineOnly(judgement).map(change => change.path),
      ].every(place => COMPUTED.test(place) || isLabelled(pair.gvk, place)),
  },
  {
    id: 'item-without-its-key',
    why: 'A server as old as this one accepts an item without its merge key; the engine calls the declaration invalid, as newer servers do.',
    fits: (_pair, judgement) =>
      judgement.evaluation.verdict === 'Invalid' &&
      judgement.evaluation.problems.every(p => p.reason === 'MissingKey'),
  },
  {
    id: 'null-for-a-key',
    why: 'To a server a null is a key of its own: the item is another one than the live one, until its defaults make both the same and the next apply is refused; the engine reads a declared null as nothing, so that the default of the key stands.',
    fits: (pair, judgement) =>
      engineOnly(judgement).length === 0 &&
      serverOnly(judgement).every(place => {
        const [items, live] = [pair.declared, pair.live].map(document =>
          valueAt(document, place),
        );
        return (
          Array.isArray(items) &&
          Array.isArray(live) &&
          items.some(item => isObject(item) && hasNullKey(item, live))
        );
      }),
  },
  {
    id: 'empty-object-for-a-pointer',
    why: 'Whether an empty object and nothing are the same depends on Go types that no schema tells; the engine calls them different where one is declared.',
    fits: (pair, judgement) =>
      engineOnly(judgement).every(change => {
        const text = canonical(change.declared ?? null);
        return /^\{(?:"\w+":(?:""|0|false|\[\]|\{\}|null),?)*\}$/.test(text);
      }) &&
      serverOnly(judgement).every(
        place =>
          canonical(withoutEmpty(valueAt(pair.live, place))) ===
          canonical(withoutEmpty(valueAt(pair.after, place))),
      ),
  },
  {
    id: 'metrics-twice',
    why: 'In 1.20 an apply to `autoscaling/v2beta2` can repeat metrics that are there already, on the way through the stored version: the server wants what nobody declared.',
    fits: (pair, judgement) =>
      pair.gvk === 'autoscaling/v2beta2/HorizontalPodAutoscaler' &&
      serverOnly(judgement).length === 1 &&
      serverOnly(judgement)[0] === '/spec/metrics' &&
      repeats(valueAt(pair.after, '/spec/metrics')),
  },
];

/** Why the two differ, or `undefined` where nobody knows. */
export function explain(
  pair: Pair,
  judgement: Judgement,
): Explanation | undefined {
  return EXPLANATIONS.find(one => one.fits(pair, judgement));
}
