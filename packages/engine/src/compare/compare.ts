/*
 * The second step: which declared fields differ live, who moved them, and what else is there.
 */
import {
  Comparison,
  EvaluateInput,
  ExtraField,
  FieldChange,
  FieldOwner,
  Json,
  JsonObject,
  MovedBy,
  Pointer,
  Problem,
  State,
} from '../types';
import { formatToken, getAt, isObject, PointerToken } from '../pointer';
import { canonical } from '../json/canonical';
import { compile, SchemaNode } from '../schema/compile';
import { itemToken, keyText } from '../normalise/walk';
import {
  comesBack,
  covers,
  field,
  isDefault,
  isEmptyLike,
  isImplied,
  isServerMember,
  memberOf,
  sameMember,
  sameScalar,
  secretMark,
  unchanged,
} from './equal';
import { appliedByUs, OwnedTree, ownedTree } from './owned';
import { isContested, ownersAt } from './attribution';

/** @public */
export type CompareInput = Pick<
  EvaluateInput,
  'schema' | 'lastAgreed' | 'ownedBefore' | 'dryRun'
> & { declared: State; live: State };

type Step = string | { node: SchemaNode; item: Json; index: number };

/** One comparison under way. */
class Comparer {
  readonly changes: FieldChange[] = [];
  readonly extras: ExtraField[] = [];
  readonly reordered: Pointer[] = [];
  readonly warnings: Problem[] = [];

  private readonly path: Step[] = [];
  /** Formatted prefixes of `path`, as far as they were asked for. */
  private readonly prefixes: string[] = [''];

  constructor(
    private readonly input: CompareInput,
    private readonly owned: OwnedTree | undefined,
  ) {}

  run(): void {
    const { declared, live, schema } = this.input;
    this.value(compile(schema), declared.value, live.value, this.owned);
  }

  private enter(step: Step): void {
    this.path.push(step);
    this.prefixes.length = Math.min(this.prefixes.length, this.path.length);
  }

  private leave(): void {
    this.path.pop();
    this.prefixes.length = Math.min(this.prefixes.length, this.path.length + 1);
  }

  private static token(step: Step): PointerToken {
    return typeof step === 'string'
      ? step
      : (step.node.list === 'atomic'
          ? undefined
          : itemToken(step.node, step.item)) ?? String(step.index);
  }

  private pointer(): Pointer {
    const { path, prefixes } = this;
    for (let at = prefixes.length; at <= path.length; at += 1) {
      const token = formatToken(Comparer.token(path[at - 1]));
      prefixes.push(`${prefixes[at - 1]}/${token}`);
    }
    return prefixes[path.length];
  }

  private tokens(): PointerToken[] {
    return this.path.map(Comparer.token);
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
      this.writeOnly(node, declared);
      return;
    }
    if (declared === null) {
      if (node.type === 'any' && isObject(live)) {
        this.extra(node, live, owned);
      } else if (!covers(node, declared, live, false)) {
        this.differs(node, declared, live);
      }
      return;
    }
    if (live === undefined) {
      if (!isImplied(node, declared)) {
        this.differs(node, declared, undefined);
      }
      return;
    }
    if (Array.isArray(declared)) {
      if (Array.isArray(live)) {
        this.list(node, declared, live, owned);
      } else if (!meansNothing(node, declared, live)) {
        this.differs(node, declared, live);
      }
    } else if (isObject(declared) && isObject(live)) {
      const mark = secretMark(declared);
      if (mark !== undefined || secretMark(live) !== undefined) {
        if (mark !== secretMark(live)) {
          this.differs(node, declared, live);
        }
      } else if (node.schema.atomic) {
        if (!covers(node, declared, live, true)) {
          this.differs(node, declared, live);
        }
      } else {
        this.object(node, declared, live, owned);
      }
    } else if (
      !sameScalar(node, declared, live) &&
      !meansNothing(node, declared, live)
    ) {
      this.differs(node, declared, live);
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
      this.enter(key);
      const known = node.property(key);
      if (
        other === undefined &&
        known === undefined &&
        node.schema.pruneUnknown &&
        node.schema.values === undefined &&
        this.isPruned()
      ) {
        this.warnings.push({
          path: this.pointer(),
          reason: 'UnknownField',
          message: `The server does not know ${this.pointer()} and drops it: it has no effect.`,
        });
      } else {
        this.value(
          known ?? node.child(key),
          value,
          other,
          owned?.children.get(formatToken(key)),
        );
      }
      this.leave();
    }
    for (const key in live) {
      if (field(declared, key) === undefined) {
        this.enter(key);
        this.extra(
          node.child(key),
          live[key],
          owned?.children.get(formatToken(key)),
        );
        this.leave();
      }
    }
  }

  /** An unknown field that was never there: the server drops it. One that was agreed once is known after all. */
  private isPruned(): boolean {
    const { lastAgreed } = this.input;
    return (
      lastAgreed === undefined ||
      lastAgreed === this.input.declared ||
      getAt(lastAgreed.value, this.tokens()) === undefined
    );
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
      this.differs(node, declared, live);
    } else if (node.items.free) {
      // Equal in what was declared; what a server added inside the items is worth showing.
      declared.forEach((item, index) => {
        this.enter({ node, item, index });
        this.value(node.items, item, live[index], undefined);
        this.leave();
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
      this.differs(node, declared, live);
    }
    if (!node.schema.open) {
      return;
    }
    const isDeclared = memberOf(declared);
    const mark = this.input.schema.ownershipMark?.prefix;
    const more: Json[] = [];
    live.forEach((item, index) => {
      if (
        isDeclared(item) ||
        isServerMember(node, item) ||
        // Whose it is, is judged for the whole resource.
        (mark !== undefined &&
          typeof item === 'string' &&
          item.startsWith(mark)) ||
        declared.some(other => sameMember(node, other, item))
      ) {
        return;
      }
      const token = itemToken(node, item);
      if (token && owned?.children.get(formatToken(token))?.leaf) {
        this.enter({ node, item, index });
        this.leftover(node.items, item);
        this.leave();
      } else {
        more.push(item);
      }
    });
    if (more.length > 0) {
      this.extras.push({ path: this.pointer(), live: more });
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
      this.enter({ node, item, index });
      this.keyedItem(items, item, live, found, owned);
      this.leave();
      for (const at of found) {
        matched[at] = 1;
        if (at < lastIndex) inOrder = false;
        lastIndex = at;
      }
    }
    if (!inOrder && node.schema.showOrder) {
      this.reordered.push(this.pointer());
    }
    for (let index = 0; index < live.length; index += 1) {
      if (matched[index] === 0) {
        const item = live[index];
        this.enter({ node, item, index });
        this.extra(items, item, this.ownedItem(node, item, owned));
        this.leave();
      }
    }
  }

  private ownedItem(
    node: SchemaNode,
    item: Json,
    owned: OwnedTree | undefined,
  ): OwnedTree | undefined {
    const token = owned && itemToken(node, item);
    return token && owned?.children.get(formatToken(token));
  }

  /** A declared item against the live ones of its key: one, none, or (what servers do let through) several. */
  private keyedItem(
    items: SchemaNode,
    item: Json,
    live: Json[],
    found: number[],
    owned: OwnedTree | undefined,
  ): void {
    const step = this.path[this.path.length - 1];
    const below =
      typeof step === 'string'
        ? undefined
        : this.ownedItem(step.node, item, owned);
    if (found.length <= 1) {
      this.value(items, item, live[found[0]], below);
    } else if (!found.every(at => covers(items, item, live[at], false))) {
      this.differs(
        items,
        item,
        found.map(at => live[at]),
      );
    }
  }

  /** Live has something that nobody declared. */
  private extra(
    node: SchemaNode,
    live: Json,
    owned: OwnedTree | undefined,
  ): void {
    if (live === undefined) {
      return;
    }
    if (owned !== undefined) {
      const share = ourShare(node, live, owned);
      if (share === 'all') {
        this.leftover(node, live);
        return;
      }
      if (share === 'some') {
        this.split(node, live, owned);
        return;
      }
    }
    const extra: ExtraField = { path: this.pointer(), live };
    if (isDefault(node, live)) {
      extra.isDefault = true;
    }
    this.extras.push(extra);
  }

  /** Part of a live value is ours and part is not: each part by itself. */
  private split(node: SchemaNode, live: Json, owned: OwnedTree): void {
    if (Array.isArray(live)) {
      live.forEach((item, index) => {
        this.enter({ node, item, index });
        this.extra(node.items, item, this.ownedItem(node, item, owned));
        this.leave();
      });
    } else if (isObject(live)) {
      const step = this.path[this.path.length - 1];
      const keys = typeof step === 'object' ? step.node.keys : [];
      for (const key in live) {
        // The keys of an item stay as long as anything of the item stays.
        if (!keys.includes(key)) {
          this.enter(key);
          this.extra(
            node.child(key),
            live[key],
            owned.children.get(formatToken(key)),
          );
          this.leave();
        }
      }
    }
  }

  private leftover(node: SchemaNode, live: Json): void {
    const path = this.pointer();
    const owners = ownersAt(this.input.live.owners, path);
    if (owners?.some(owner => !owner.ours)) {
      // Somebody else owns it as well: it is theirs to keep.
      this.extras.push({ path, live, owners });
      return;
    }
    if (comesBack(node, live)) {
      this.extras.push({ path, live, isDefault: true });
      return;
    }
    this.push(node, {
      path,
      live,
      kind: 'leftover',
      movedBy: this.input.lastAgreed ? 'declared' : 'unknown',
    });
  }

  /** A value that never comes back: only a change of the declaration itself can be seen. */
  private writeOnly(node: SchemaNode, declared: Json): void {
    const { lastAgreed } = this.input;
    const before = lastAgreed && getAt(lastAgreed.value, this.tokens());
    if (before !== undefined && canonical(before) !== canonical(declared)) {
      this.push(node, {
        path: this.pointer(),
        declared,
        kind: 'differs',
        movedBy: 'declared',
      });
    }
  }

  private differs(
    node: SchemaNode,
    declared: Json,
    live: Json | undefined,
  ): void {
    const path = this.pointer();
    const { dryRun } = this.input;
    if (dryRun !== undefined && live !== undefined) {
      const after = getAt(dryRun.value, this.tokens());
      if (after !== undefined && unchanged(node, after, live)) {
        this.warnings.push({
          path,
          reason: 'RewrittenByServer',
          message: `The server rewrites ${path}: a dry run of the declaration yields the live value too.`,
        });
        return;
      }
    }
    const change: FieldChange = {
      path,
      declared,
      kind: live === undefined ? 'absent' : 'differs',
      movedBy: this.movedBy(node, declared, live),
    };
    if (live !== undefined) {
      change.live = live;
    }
    this.push(node, change);
  }

  private push(node: SchemaNode, change: FieldChange): void {
    const { lastAgreed, live } = this.input;
    const agreed = lastAgreed && getAt(lastAgreed.value, this.tokens());
    const done = change;
    if (agreed !== undefined) {
      done.lastAgreed = agreed;
    }
    if (holdsSecret(node, done)) {
      done.secret = true;
    }
    const owners = ownersAt(live.owners, done.path);
    if (owners) {
      done.owners = owners;
      if (isContested(owners)) {
        done.contested = true;
      }
    }
    this.changes.push(done);
  }

  private movedBy(
    node: SchemaNode,
    declared: Json,
    live: Json | undefined,
  ): MovedBy {
    const { lastAgreed } = this.input;
    if (lastAgreed === undefined) {
      return 'unknown';
    }
    const agreed = getAt(lastAgreed.value, this.tokens());
    if (covers(node, declared, agreed, false)) {
      return 'live';
    }
    return unchanged(node, agreed, live) ? 'declared' : 'both';
  }
}

/** A declared empty value is dropped by the server, and what stands there now came by itself. */
function meansNothing(node: SchemaNode, declared: Json, live: Json): boolean {
  return isEmptyLike(node, declared) && isDefault(node, live);
}

function holdsSecret(node: SchemaNode, change: FieldChange): boolean {
  return (
    node.secret ||
    [change.declared, change.live].some(
      value => value !== undefined && secretMark(value) !== undefined,
    )
  );
}

const isScalar = (value: Json) => typeof value !== 'object' || value === null;

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

/** How much of a live value did our writes set? Defaults that came with it count for neither. */
function ourShare(
  node: SchemaNode,
  live: Json,
  owned: OwnedTree,
): 'all' | 'some' | 'none' {
  // We set the container itself, empty, but not what others put into it.
  const container =
    owned.leaf && owned.children.size === 0 && node.shared && !isScalar(live);
  if (owned.leaf && !container) {
    return 'all';
  }
  let ours = container;
  let others = false;
  const count = (child: SchemaNode, value: Json, tree?: OwnedTree) => {
    const share = tree ? ourShare(child, value, tree) : 'none';
    if (share !== 'none') ours = true;
    if (share === 'some' || (share === 'none' && !isDefault(child, value))) {
      others = true;
    }
  };
  if (Array.isArray(live)) {
    for (const item of live) {
      const token = itemToken(node, item);
      count(node.items, item, token && owned.children.get(formatToken(token)));
    }
  } else if (isObject(live)) {
    for (const key in live) {
      count(node.child(key), live[key], owned.children.get(formatToken(key)));
    }
  }
  if (!ours || (container && others)) {
    return 'none';
  }
  return others ? 'some' : 'all';
}

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
  const { live, ownedBefore = [] } = input;
  let comparer = new Comparer(
    input,
    ownedBefore.length > 0 ? ownedTree(ownedBefore) : undefined,
  );
  comparer.run();
  if (comparer.extras.some(extra => !extra.isDefault)) {
    const applied = appliedByUs(live.owners);
    if (applied.length > 0) {
      comparer = new Comparer(input, ownedTree([...ownedBefore, ...applied]));
      comparer.run();
    }
    attachOwners(comparer.extras, live.owners);
  }
  const { changes, extras, reordered, warnings } = comparer;
  return {
    changes: changes.sort(byPath),
    extras: extras.sort(byPath),
    reordered: reordered.sort(),
    warnings: [...input.declared.warnings, ...live.warnings, ...warnings],
  };
}

const byPath = (a: { path: Pointer }, b: { path: Pointer }) => {
  if (a.path === b.path) {
    return 0;
  }
  return a.path < b.path ? -1 : 1;
};
