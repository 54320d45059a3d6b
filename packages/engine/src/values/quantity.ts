/*
 * Kubernetes quantities: equal by what they mean, not by how they are written (`500m` is `0.5`; `1G` is not `1Gi`).
 *
 * The grammar is that of k8s.io/apimachinery/pkg/api/resource.
 */
import { Json } from '../types';

const QUANTITY =
  /^([+-]?)(\d+\.?\d*|\.\d+)(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d+))?$/;

const BINARY = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

const DECIMAL: Record<string, number> = {
  n: -9,
  u: -6,
  m: -3,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};

/** Powers of ten beyond this would cost memory and time, and no quantity needs them. */
const MAX_EXPONENT = 400;

/** An exact decimal number: `digits * 10^exponent`, without trailing zeros in `digits`. */
interface Decimal {
  digits: bigint;
  exponent: number;
}

function reduce(digits: bigint, exponent: number): Decimal {
  if (digits === 0n) {
    return { digits, exponent: 0 };
  }
  let rest = digits;
  let power = exponent;
  while (rest % 10n === 0n) {
    rest /= 10n;
    power += 1;
  }
  return { digits: rest, exponent: power };
}

/** Is it written as a quantity, whether or not it can be compared exactly? */
export function isQuantity(value: Json): boolean {
  return (
    typeof value === 'number' ||
    typeof value === 'bigint' ||
    (typeof value === 'string' && QUANTITY.test(value.trim()))
  );
}

/** The exact value of a quantity, or `undefined` where the text is none. */
export function parseQuantity(value: Json): Decimal | undefined {
  let text: string;
  if (typeof value === 'string') {
    text = value.trim();
  } else if (typeof value === 'number' || typeof value === 'bigint') {
    text = String(value);
  } else {
    return undefined;
  }
  if (text.length > 100) {
    return undefined;
  }
  const match = QUANTITY.exec(text);
  if (!match) {
    return undefined;
  }
  const [, sign, number, suffix, exponentText] = match;
  const [whole, fraction = ''] = number.split('.');
  let digits = BigInt(`${whole}${fraction}` || '0');
  let exponent = -fraction.length;
  if (exponentText !== undefined) {
    exponent += Number(exponentText);
  } else if (suffix !== undefined) {
    const binary = BINARY.indexOf(suffix);
    if (binary >= 0) {
      digits *= 1024n ** BigInt(binary + 1);
    } else {
      exponent += DECIMAL[suffix];
    }
  }
  if (Math.abs(exponent) > MAX_EXPONENT) {
    return undefined;
  }
  return reduce(sign === '-' ? -digits : digits, exponent);
}

/** Do two quantities mean the same? Texts that are no quantities are equal only as texts. */
export function sameQuantity(a: Json, b: Json): boolean {
  const left = parseQuantity(a);
  const right = parseQuantity(b);
  if (!left || !right) {
    return String(a) === String(b);
  }
  return left.digits === right.digits && left.exponent === right.exponent;
}
