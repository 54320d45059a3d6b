/*
 * What live has and nobody declared: what we set and left behind, what is somebody else's, and what controllers keep
 * for themselves.
 */
/* eslint-disable guard-for-in -- JSON values inherit no enumerable properties, and this is the hot path */
import { Json } from '../types';
import { formatToken, isObject } from '../pointer';
import { SchemaNode } from '../schema/compile';
import { ownedByOthersBelow } from './attribution';
import { Cursor } from './cursor';
import { isAllocatedMember, isServerMember } from './equal';
import { CompareInput, Findings } from './findings';
import { ownedItem, OwnedTree } from './owned';
import { ourShare } from './share';

/** Takes what a walk finds beside the declaration apart, where its cursor stands. */
export class Extras {
  constructor(
    private readonly input: CompareInput,
    private readonly cursor: Cursor,
    private readonly findings: Findings,
  ) {}

  /** Live has something that nobody declared. */
  undeclared(node: SchemaNode, live: Json, owned: OwnedTree | undefined): void {
    if (live === undefined) {
      return;
    }
    if (owned !== undefined) {
      const share = ourShare(node, live, owned);
      if (share === 'all' && !this.holdsOthers(live)) {
        this.findings.leftover(node, live);
        return;
      }
      if (share !== 'none') {
        this.split(node, live, owned);
        return;
      }
    }
    if (
      Array.isArray(live) &&
      node.schema.open &&
      live.length > 0 &&
      live.every(item => this.isBookkeeping(node, item))
    ) {
      return;
    }
    this.findings.extra(node, live);
  }

  /** Does somebody else own a part of it, if only an empty one? */
  private holdsOthers(live: Json): boolean {
    return (
      typeof live === 'object' &&
      ownedByOthersBelow(this.input.live.owners, this.cursor.pointer())
    );
  }

  /** Part of a live value is ours and part is not: each part by itself. */
  private split(node: SchemaNode, live: Json, owned: OwnedTree): void {
    if (Array.isArray(live)) {
      live.forEach((item, index) => {
        this.cursor.enter({ node, item, index });
        this.undeclared(node.items, item, ownedItem(node, item, owned));
        this.cursor.leave();
      });
    } else if (isObject(live)) {
      const step = this.cursor.last;
      const keys = typeof step === 'object' ? step.node.keys : [];
      for (const key in live) {
        // The keys of an item stay as long as anything of the item stays.
        if (!keys.includes(key)) {
          this.cursor.enter(key);
          this.undeclared(
            node.child(key),
            live[key],
            owned.children.get(formatToken(key)),
          );
          this.cursor.leave();
        }
      }
    }
  }

  /** A member that controllers keep for themselves; whose a resource is, is judged for the whole of it. */
  isBookkeeping(node: SchemaNode, item: Json): boolean {
    const mark = this.input.schema.ownershipMark?.prefix;
    return (
      isServerMember(node, item) ||
      isAllocatedMember(node, item) ||
      (mark !== undefined && typeof item === 'string' && item.startsWith(mark))
    );
  }
}
