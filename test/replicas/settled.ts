/** Whether everything is right at last: what is declared is live, or a person has been asked. */
import type { Audit, ResourceState } from './audit';
import type { Editor } from './driver';
import type { LiveState, Orders } from './orders';
import {
  FIELDS,
  NAMESPACE,
  RESOURCE_KINDS,
  valueAt,
  valueOf,
  type ThingKind,
} from './world';

export interface Settling {
  inSync: number;
  /** How many wait for a person, by verdict and reason. */
  waiting: Map<string, number>;
  /** Objects that nobody declares any more and that were never ours: they stay as they are. */
  leftAlone: number;
  /** What is not right yet, in words. */
  wrong: string[];
}

/** The mark on objects that Plumbline wrote. */
const MARK = 'drift.plumbline/declared-by';

const FOR_A_PERSON = ['Conflicted', 'Contested', 'NonConvergent'];

export async function lookWhetherSettled(
  orders: Orders,
  audit: Audit,
  editor: Editor,
): Promise<Settling> {
  const [live, rows] = await Promise.all([
    orders.send({ do: 'look' }),
    audit.resources(),
  ]);
  return compare(live, rows, editor);
}

function compare(
  live: LiveState,
  rows: ResourceState[],
  editor: Editor,
): Settling {
  const result: Settling = {
    inSync: 0,
    waiting: new Map(),
    leftAlone: 0,
    wrong: [],
  };
  const byName = new Map(rows.map(row => [`${row.kind} ${row.name}`, row]));
  const liveNames = new Map<string, Record<string, unknown>>();
  for (const kind of Object.keys(FIELDS) as ThingKind[]) {
    for (const one of live[kind]) {
      const name = nameOf(kind, one);
      if (name) liveNames.set(`${RESOURCE_KINDS[kind]} ${name}`, one);
    }
  }
  for (const { thing, value } of editor.declared.values()) {
    const key = `${RESOURCE_KINDS[thing.kind]} ${thing.name}`;
    const row = byName.get(key);
    byName.delete(key);
    const one = liveNames.get(key);
    liveNames.delete(key);
    const found = valueAt(one, FIELDS[thing.kind].declared);
    const wanted = valueOf(thing.kind, value);
    if (row && isForAPerson(row)) count(result.waiting, row);
    else if (row?.verdict === 'InSync' && !row.dirty && found === wanted) {
      result.inSync += 1;
    } else {
      result.wrong.push(
        `${key}: declared ${wanted}, live ${found}, ${describe(row)}`,
      );
    }
  }
  for (const [key, row] of byName) {
    if (isForAPerson(row)) count(result.waiting, row);
    else result.wrong.push(`${key}: declared no more, ${describe(row)}`);
    liveNames.delete(key);
  }
  for (const [key, one] of liveNames) {
    const isOurs =
      one.metadata === undefined ||
      valueAt(one, ['metadata', 'annotations', MARK]) !== undefined;
    if (isOurs) result.wrong.push(`${key}: live, and nothing knows of it`);
    else result.leftAlone += 1;
  }
  return result;
}

function count(waiting: Settling['waiting'], row: ResourceState) {
  const key = `${row.verdict}/${row.reason}`;
  waiting.set(key, (waiting.get(key) ?? 0) + 1);
}

function isForAPerson(row: ResourceState): boolean {
  return !row.dirty && (row.asked || FOR_A_PERSON.includes(row.verdict));
}

function describe(row: ResourceState | undefined): string {
  return row
    ? `${row.verdict} (${row.reason}): ${row.message}${
        row.dirty ? ' [to be looked at]' : ''
      } due in ${Math.round((row.dueAt - Date.now()) / 1000)} s`
    : 'not among the resources';
}

function nameOf(
  kind: ThingKind,
  one: Record<string, unknown>,
): string | undefined {
  if (kind === 'configMap') {
    const { name, namespace } = one.metadata as Record<string, string>;
    return namespace === NAMESPACE ? name : undefined;
  }
  return (one.tags as string[])
    .find(tag => tag.startsWith('k8s-name:'))
    ?.slice('k8s-name:'.length);
}
