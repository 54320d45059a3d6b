/*
 * Where a walk stands in a document, and the pointer of that place.
 */
import { Json, Pointer } from '../types';
import { formatToken, PointerToken } from '../pointer';
import { itemToken } from '../normalise/keys';
import { SchemaNode } from '../schema/compile';

/** One step down: a key, or an item of a list. */
export type Step = string | { node: SchemaNode; item: Json; index: number };

/** The token that names a step: items of keyed lists and sets by what they are, others by their index. */
export function stepToken(step: Step): PointerToken {
  if (typeof step === 'string') {
    return step;
  }
  const token =
    step.node.list === 'atomic' ? undefined : itemToken(step.node, step.item);
  return token ?? String(step.index);
}

/** The way from the root to where a walk stands. Pointers are only made when asked for, and then from what is known. */
export class Cursor {
  private readonly path: Step[] = [];
  /** Formatted prefixes of `path`, as far as they were asked for. */
  private readonly prefixes: string[] = [''];

  enter(step: Step): void {
    this.path.push(step);
    this.prefixes.length = Math.min(this.prefixes.length, this.path.length);
  }

  leave(): void {
    this.path.pop();
    this.prefixes.length = Math.min(this.prefixes.length, this.path.length + 1);
  }

  get last(): Step | undefined {
    return this.path[this.path.length - 1];
  }

  pointer(): Pointer {
    const { path, prefixes } = this;
    for (let at = prefixes.length; at <= path.length; at += 1) {
      const token = formatToken(stepToken(path[at - 1]));
      prefixes.push(`${prefixes[at - 1]}/${token}`);
    }
    return prefixes[path.length];
  }

  tokens(): PointerToken[] {
    return this.path.map(stepToken);
  }
}
