/*
 * What a comparison finds: changes with who moved them, extras, warnings.
 */
import {
  EvaluateInput,
  ExtraField,
  FieldChange,
  Json,
  MovedBy,
  Pointer,
  Problem,
  State,
} from '../types';
import { getAt } from '../pointer';
import { canonical } from '../json/canonical';
import { SchemaNode } from '../schema/compile';
import { isContested, ownersAt } from './attribution';
import { Cursor } from './cursor';
import {
  comesBack,
  covers,
  isDefault,
  memberOf,
  secretMark,
  unchanged,
} from './equal';

/** @public */
export type CompareInput = Pick<
  EvaluateInput,
  'schema' | 'lastAgreed' | 'ownedBefore' | 'dryRun'
> & { declared: State; live: State };

/** Takes down what a walk finds at the place where its cursor stands. */
export class Findings {
  readonly changes: FieldChange[] = [];
  readonly extras: ExtraField[] = [];
  readonly reordered: Pointer[] = [];
  readonly warnings: Problem[] = [];
  /** Extras that would stand otherwise if we had set them, or something in them. */
  readonly doubtful: Pointer[] = [];

  constructor(
    private readonly input: CompareInput,
    private readonly cursor: Cursor,
  ) {}

  /** A live value that nobody declared. */
  extra(node: SchemaNode, live: Json): void {
    const extra: ExtraField = { path: this.cursor.pointer(), live };
    if (isDefault(node, live)) {
      extra.isDefault = true;
    }
    this.extras.push(extra);
    if (!comesBack(node, live)) {
      this.doubtful.push(extra.path);
    }
  }

  /** A declared field that the server does not know, and drops. */
  pruned(): void {
    const path = this.cursor.pointer();
    this.warnings.push({
      path,
      reason: 'UnknownField',
      message: `The server does not know ${path} and drops it: it has no effect.`,
    });
  }

  /** Was there ever something here while both sides agreed? */
  wasAgreed(): boolean {
    const { lastAgreed, declared } = this.input;
    return (
      lastAgreed !== undefined &&
      lastAgreed !== declared &&
      getAt(lastAgreed.value, this.cursor.tokens()) !== undefined
    );
  }

  /** We set it once, and nobody declares it any more. */
  leftover(node: SchemaNode, live: Json): void {
    const path = this.cursor.pointer();
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
  writeOnly(node: SchemaNode, declared: Json): void {
    const { lastAgreed } = this.input;
    const before = lastAgreed && getAt(lastAgreed.value, this.cursor.tokens());
    if (before !== undefined && canonical(before) !== canonical(declared)) {
      this.push(node, {
        path: this.cursor.pointer(),
        declared,
        kind: 'differs',
        movedBy: 'declared',
      });
    }
  }

  /** Both sides are not the same here. */
  differs(node: SchemaNode, declared: Json, live: Json | undefined): void {
    const path = this.cursor.pointer();
    const { dryRun } = this.input;
    if (dryRun !== undefined && live !== undefined) {
      const after = getAt(dryRun.value, this.cursor.tokens());
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
    const agreed = lastAgreed && getAt(lastAgreed.value, this.cursor.tokens());
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
    const agreed = getAt(lastAgreed.value, this.cursor.tokens());
    if (covers(node, declared, agreed, false)) {
      return 'live';
    }
    if (node.list === 'set' && node.schema.open && Array.isArray(declared)) {
      // Others may add to it: only the members that live lacks tell who moved.
      const was = memberOf(Array.isArray(agreed) ? agreed : []);
      const is = memberOf(Array.isArray(live) ? live : []);
      return declared.some(member => was(member) && !is(member))
        ? 'live'
        : 'declared';
    }
    return unchanged(node, agreed, live) ? 'declared' : 'both';
  }
}

function holdsSecret(node: SchemaNode, change: FieldChange): boolean {
  return (
    node.secret ||
    [change.declared, change.live].some(
      value => value !== undefined && secretMark(value) !== undefined,
    )
  );
}
