/*
 * The second step: which declared fields differ live, who moved them, and what else is there.
 */
/* eslint-disable guard-for-in -- JSON values inherit no enumerable properties, and this is the hot path */
import {
  Comparison,
  ExtraField,
  FieldOwner,
  Json,
  JsonObject,
  Pointer,
} from '../types';
import { formatToken, isObject, parsePointer } from '../pointer';
import { compile, SchemaNode } from '../schema/compile';
import { itemToken, keyText } from '../normalise/keys';
import { ownersAt } from './attribution';
import { ownershipOf } from '../normalise/state';
import { Cursor } from './cursor';
import {
  covers,
  field,
  isDefault,
  isEmptyLike,
  isImplied,
  isUnknown,
  memberOf,
  sameMember,
  sameScalar,
  secretMark,
} from './equal';
import { Extras } from './extras';
import { CompareInput, Findings } from './findings';
import {
  appliedByUs,
  ownedItem,
  OwnedTree,
  ownedTree,
  spelledOut,
} from './owned';

export type { CompareInput } from './findings';

/** One walk over both documents. */
class Comparer {
  readonly findings: Findings;
  private readonly cursor = new Cursor();
  private readonly extras: Extras;

  constructor(
    private readonly input: CompareInput,
    private readonly owned: OwnedTree | undefined,
  ) {
    this.findings = new Findings(input, this.cursor);
    this.extras = new Extras(input, this.cursor, this.findings);
  }

  run(): void {
    const { declared, live, schema } = this.input;
    this.value(compile(schema), declared.value, live.value, this.owned);
  }

  /** `declared` is there; is it the same live? */
  private value(
    node: SchemaNode,
    declared: Json,
    live: Json | undefined,
    owned: OwnedTree | undefined,
  ): void {
    if (declared === live) {
      return;
    }
    if (node.writeOnly) {
      this.findings.writeOnly(node, declared);
      return;
    }
    if (declared === null) {
      if (node.type === 'any' && isObject(live)) {
        this.extras.undeclared(node, live, owned);
      } else if (!covers(node, declared, live, false)) {
        this.findings.differs(node, declared, live);
      }
      return;
    }
    if (live === undefined) {
      if (!isImplied(node, declared)) {
        this.findings.differs(node, declared, undefined);
      }
      return;
    }
    if (Array.isArray(declared)) {
      if (Array.isArray(live)) {
        this.list(node, declared, live, owned);
      } else if (!meansNothing(node, declared, live)) {
        this.findings.differs(node, declared, live);
      }
    } else if (isObject(declared) && isObject(live)) {
      const mark = secretMark(declared);
      if (mark !== undefined || secretMark(live) !== undefined) {
        if (mark !== secretMark(live)) {
          this.findings.differs(node, declared, live);
        }
      } else if (node.schema.atomic) {
        if (!covers(node, declared, live, true)) {
          this.findings.differs(node, declared, live);
        }
      } else {
        this.object(node, declared, live, owned);
      }
    } else if (
      !sameScalar(node, declared, live) &&
      !meansNothing(node, declared, live)
    ) {
      this.findings.differs(node, declared, live);
    }
  }

  private object(
    node: SchemaNode,
    declared: JsonObject,
    live: JsonObject,
    owned: OwnedTree | undefined,
  ): void {
    for (const key in declared) {
      const value = declared[key];
      const other = field(live, key);
      // Most fields end here: equal scalars need no schema.
      if (value === other) {
        continue;
      }
      this.cursor.enter(key);
      const known = node.property(key);
      if (
        other === undefined &&
        value !== null &&
        isUnknown(node, key) &&
        !this.findings.wasAgreed()
      ) {
        this.findings.pruned();
      } else {
        this.value(
          known ?? node.child(key),
          value,
          other,
          owned?.children.get(formatToken(key)),
        );
      }
      this.cursor.leave();
    }
    for (const key in live) {
      if (field(declared, key) === undefined) {
        this.cursor.enter(key);
        this.extras.undeclared(
          node.child(key),
          live[key],
          owned?.children.get(formatToken(key)),
        );
        this.cursor.leave();
      }
    }
  }

  private list(
    node: SchemaNode,
    declared: Json[],
    live: Json[],
    owned: OwnedTree | undefined,
  ): void {
    if (node.list === 'set') {
      this.set(node, declared, live, owned);
    } else if (node.list === 'map' && node.keys.length > 0) {
      this.keyedList(node, declared, live, owned);
    } else if (!covers(node, declared, live, false)) {
      this.findings.differs(node, declared, live);
    } else if (node.items.free) {
      // Equal in what was declared; what a server added inside the items is worth showing.
      declared.forEach((item, index) => {
        this.cursor.enter({ node, item, index });
        this.value(node.items, item, live[index], undefined);
        this.cursor.leave();
      });
    }
  }

  private set(
    node: SchemaNode,
    declared: Json[],
    live: Json[],
    owned: OwnedTree | undefined,
  ): void {
    if (!covers(node, declared, live, false)) {
      this.findings.differs(node, declared, live);
    }
    if (!node.schema.open) {
      return;
    }
    const isDeclared = memberOf(declared);
    const more: Json[] = [];
    live.forEach((item, index) => {
      if (
        isDeclared(item) ||
        this.extras.isBookkeeping(node, item) ||
        declared.some(other => sameMember(node, other, item))
      ) {
        return;
      }
      const token = itemToken(node, item);
      if (token && owned?.children.get(formatToken(token))?.leaf) {
        this.cursor.enter({ node, item, index });
        this.findings.leftover(node.items, item);
        this.cursor.leave();
      } else {
        more.push(item);
      }
    });
    if (more.length > 0) {
      const path = this.cursor.pointer();
      this.findings.extras.push({ path, live: more });
      this.findings.doubtful.push(path);
    }
  }

  private keyedList(
    node: SchemaNode,
    declared: Json[],
    live: Json[],
    owned: OwnedTree | undefined,
  ): void {
    const { items } = node;
    let byKey: Map<string | undefined, number[]> | undefined;
    const matched = new Uint8Array(live.length);
    let lastIndex = -1;
    let inOrder = true;
    for (let index = 0; index < declared.length; index += 1) {
      const item = declared[index];
      const key = keyText(node, item);
      let found: number[];
      // The same place is the usual place.
      if (
        index < live.length &&
        keyText(node, live[index]) === key &&
        (byKey === undefined || byKey.get(key)?.length === 1)
      ) {
        found = [index];
        if (byKey === undefined && live.length !== declared.length) {
          byKey = indexByKey(node, live);
          found = byKey.get(key) ?? found;
        }
      } else {
        byKey ??= indexByKey(node, live);
        found = byKey.get(key) ?? [];
      }
      this.cursor.enter({ node, item, index });
      this.keyedItem(items, item, live, found, owned);
      this.cursor.leave();
      for (const at of found) {
        matched[at] = 1;
        if (at < lastIndex) inOrder = false;
        lastIndex = at;
      }
    }
    if (!inOrder && node.schema.showOrder) {
      this.findings.reordered.push(this.cursor.pointer());
    }
    for (let index = 0; index < live.length; index += 1) {
      if (matched[index] === 0) {
        const item = live[index];
        this.cursor.enter({ node, item, index });
        this.extras.undeclared(items, item, ownedItem(node, item, owned));
        this.cursor.leave();
      }
    }
  }

  /** A declared item against the live ones of its key: one, none, or (what servers do let through) several. */
  private keyedItem(
    items: SchemaNode,
    item: Json,
    live: Json[],
    found: number[],
    owned: OwnedTree | undefined,
  ): void {
    const step = this.cursor.last;
    const below =
      step === undefined || typeof step === 'string'
        ? undefined
        : ownedItem(step.node, item, owned);
    if (found.length <= 1) {
      this.value(items, item, live[found[0]], below);
    } else if (!found.every(at => covers(items, item, live[at], false))) {
      this.findings.differs(
        items,
        item,
        found.map(at => live[at]),
      );
    }
  }
}

/** A declared empty value is dropped by the server, and what stands there now came by itself. */
function meansNothing(node: SchemaNode, declared: Json, live: Json): boolean {
  return isEmptyLike(node, declared) && isDefault(node, live);
}

function indexByKey(
  node: SchemaNode,
  list: Json[],
): Map<string | undefined, number[]> {
  const byKey = new Map<string | undefined, number[]>();
  list.forEach((item, index) => {
    const key = keyText(node, item);
    const known = byKey.get(key);
    if (known === undefined) {
      byKey.set(key, [index]);
    } else {
      known.push(index);
    }
  });
  return byKey;
}

const byPath = (a: { path: Pointer }, b: { path: Pointer }) => {
  if (a.path === b.path) {
    return 0;
  }
  return a.path < b.path ? -1 : 1;
};

function attachOwners(
  extras: ExtraField[],
  owners: Record<Pointer, FieldOwner[]> | undefined,
): void {
  if (!owners) {
    return;
  }
  for (const extra of extras) {
    if (!extra.isDefault && !extra.owners) {
      const found = ownersAt(owners, extra.path);
      if (found) {
        // eslint-disable-next-line no-param-reassign
        extra.owners = found;
      }
    }
  }
}

/**
 * Compares one declared state with one live state, field by field and three-way. Only what is declared, and what our
 * own writes set before, can drift; everything else that live has is an extra.
 *
 * Cost: one walk over both documents; who moved a field is only asked for fields that differ.
 *
 * @public
 */
export function compare(input: CompareInput): Comparison {
  const { live, schema } = input;
  const ownedBefore = spelledOut(input.ownedBefore ?? [], schema);
  let comparer = new Comparer(
    input,
    ownedBefore.length > 0 ? ownedTree(ownedBefore) : undefined,
  );
  comparer.run();
  if (
    comparer.findings.doubtful.some(path =>
      ownershipOf(live).appliedAt(parsePointer(path)),
    )
  ) {
    comparer = new Comparer(
      input,
      ownedTree(ownedBefore, appliedByUs(live.owners)),
    );
    comparer.run();
  }
  if (comparer.findings.extras.some(extra => !extra.isDefault)) {
    attachOwners(comparer.findings.extras, live.owners);
  }
  const { changes, extras, reordered, warnings } = comparer.findings;
  return {
    changes: changes.sort(byPath),
    extras: extras.sort(byPath),
    reordered: reordered.sort(),
    warnings: [...input.declared.warnings, ...live.warnings, ...warnings],
  };
}
