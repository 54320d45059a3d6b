/** Label and field selectors. */
import { badRequest } from './errors';
import { at } from './json';
import { Kind } from './kinds';
import { KubeObject } from './types';

type Test = (object: KubeObject) => boolean;

const KEY =
  /^([a-z0-9A-Z]([-a-z0-9A-Z.]*[a-z0-9A-Z])?\/)?[a-z0-9A-Z]([-_.a-z0-9A-Z]*[a-z0-9A-Z])?$/;
const VALUE = /^([a-z0-9A-Z]([-_.a-z0-9A-Z]*[a-z0-9A-Z])?)?$/;

/**
 * Reads `a=b,c!=d,e in (f,g),h notin (i),j,!k`.
 *
 * @throws StatusError 400 where it cannot be read
 */
export function labelSelector(text: string | undefined): Test {
  const tests = splitTopLevel(text ?? '').map(labelRequirement);
  return object => tests.every(test => test(object));
}

/** Splits at commas that do not stand between parentheses. */
function splitTopLevel(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const letter of text) {
    if (letter === ',' && depth === 0) {
      parts.push(part);
      part = '';
      continue;
    }
    if (letter === '(') {
      depth += 1;
    } else if (letter === ')') {
      depth -= 1;
    }
    part += letter;
  }
  parts.push(part);
  return parts.map(item => item.trim()).filter(item => item !== '');
}

function labelRequirement(text: string): Test {
  const set = /^(\S+)\s+(in|notin)\s*\(([^()]*)\)$/.exec(text);
  if (set) {
    const key = checked(set[1], KEY, text);
    const values = set[3]
      .split(',')
      .map(value => checked(value.trim(), VALUE, text));
    return set[2] === 'in'
      ? object => values.includes(object.metadata.labels?.[key] ?? '\0')
      : object => !values.includes(object.metadata.labels?.[key] ?? '\0');
  }
  const relation = /^([^=!<>]+?)\s*(==|=|!=)\s*(.*)$/.exec(text);
  if (relation) {
    const key = checked(relation[1].trim(), KEY, text);
    const value = checked(relation[3].trim(), VALUE, text);
    return relation[2] === '!='
      ? object => object.metadata.labels?.[key] !== value
      : object => object.metadata.labels?.[key] === value;
  }
  const comparison = /^([^=!<>]+?)\s*([<>])\s*(-?\d+)$/.exec(text);
  if (comparison) {
    const key = checked(comparison[1].trim(), KEY, text);
    const bound = Number(comparison[3]);
    return object => {
      const label = object.metadata.labels?.[key];
      if (label === undefined || !/^-?\d+$/.test(label)) {
        return false;
      }
      return comparison[2] === '>'
        ? Number(label) > bound
        : Number(label) < bound;
    };
  }
  if (text.startsWith('!')) {
    const key = checked(text.slice(1).trim(), KEY, text);
    return object => object.metadata.labels?.[key] === undefined;
  }
  const key = checked(text, KEY, text);
  return object => object.metadata.labels?.[key] !== undefined;
}

function checked(part: string, pattern: RegExp, text: string): string {
  if (!pattern.test(part)) {
    throw badRequest(
      `unable to parse requirement: found '${part}' in '${text}'`,
    );
  }
  return part;
}

/**
 * Reads `metadata.name=a,metadata.namespace!=b` and what else the kind allows.
 *
 * @throws StatusError 400 where a field cannot be selected by
 */
export function fieldSelector(kind: Kind, text: string | undefined): Test {
  const tests = (text ?? '')
    .split(',')
    .filter(part => part.trim() !== '')
    .map(part => fieldRequirement(kind, part.trim()));
  return object => tests.every(test => test(object));
}

function fieldRequirement(kind: Kind, text: string): Test {
  const match = /^([^=!]+?)(==|=|!=)(.*)$/.exec(text);
  if (!match) {
    throw badRequest(`invalid selector: '${text}'; can't understand '${text}'`);
  }
  const [, field, relation, value] = match;
  const known = ['metadata.name', 'metadata.namespace', ...kind.selectable];
  if (!known.includes(field)) {
    throw badRequest(
      kind.definedBy
        ? `field label not supported: ${field}`
        : `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`,
    );
  }
  const path = field.split('.');
  return object => {
    const actual = `${at(object, ...path) ?? ''}`;
    return relation === '!=' ? actual !== value : actual === value;
  };
}
