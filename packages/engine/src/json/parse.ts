/*
 * JSON text in and out without losing a digit: integers beyond double precision become `bigint`.
 */
import { Json } from '../types';

/** Only texts with a run of digits this long can hold an integer that a double cannot. */
const LONG_INTEGER = /\d{16}/;

const INTEGER = /^-?\d+$/;

type Reviver = (
  key: string,
  value: unknown,
  context?: { source?: string },
) => unknown;

/** Does this JavaScript engine tell a reviver the source text of a number (ECMAScript 2025)? */
const HAS_SOURCE = (() => {
  let seen = false;
  const probe: Reviver = (_key, value, context) => {
    seen = context?.source === '1';
    return value;
  };
  JSON.parse('1', probe);
  return seen;
})();

const keepDigits: Reviver = (_key, value, context) => {
  if (
    typeof value === 'number' &&
    !Number.isSafeInteger(value) &&
    context?.source !== undefined &&
    INTEGER.test(context.source)
  ) {
    return BigInt(context.source);
  }
  return value;
};

/** Marks a long integer inside a string while an old JavaScript engine parses; U+0000 cannot stand unescaped in JSON. */
const MARK = '\u0000integer:';

/** For engines without source text: wraps long integers that stand outside strings into marked strings. */
function markLongIntegers(text: string): string {
  let out = '';
  let from = 0;
  let at = 0;
  while (at < text.length) {
    const char = text[at];
    if (char === '"') {
      at += 1;
      while (at < text.length && text[at] !== '"') {
        at += text[at] === '\\' ? 2 : 1;
      }
      at += 1;
    } else if (char === '-' || (char >= '0' && char <= '9')) {
      let end = at + 1;
      while (end < text.length && /[\d.eE+-]/.test(text[end])) {
        end += 1;
      }
      const source = text.slice(at, end);
      if (INTEGER.test(source) && !Number.isSafeInteger(Number(source))) {
        out += `${text.slice(from, at)}"\\u0000integer:${source}"`;
        from = end;
      }
      at = end;
    } else {
      at += 1;
    }
  }
  return out + text.slice(from);
}

/**
 * Parses JSON text. Integers that a double cannot hold exactly come back as `bigint`.
 *
 * @throws SyntaxError as `JSON.parse` does.
 * @public
 */
export function parseJson(text: string): Json {
  if (!LONG_INTEGER.test(text)) {
    return JSON.parse(text);
  }
  if (HAS_SOURCE) {
    return JSON.parse(text, keepDigits);
  }
  return JSON.parse(markLongIntegers(text), (_key, value) =>
    typeof value === 'string' && value.startsWith(MARK)
      ? BigInt(value.slice(MARK.length))
      : value,
  );
}
