/** Resource quantities (`500m`, `1Gi`, `1e3`) in the canonical form in which an API server gives them back. */

const QUANTITY =
  /^([+-]?)(\d+|\d*\.\d+|\d+\.)(([KMGTPE]i)|([numkMGTPE])|([eE][+-]?\d+))?$/;

const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
/** Decimal suffixes with their power of ten, largest first. */
const DECIMAL: readonly (readonly [string, number])[] = [
  ['E', 18],
  ['P', 15],
  ['T', 12],
  ['G', 9],
  ['M', 6],
  ['k', 3],
  ['', 0],
  ['m', -3],
  ['u', -6],
  ['n', -9],
];
const NANO = 9;

const roundUp = (value: bigint, divisor: bigint) =>
  (value + divisor - 1n) / divisor;

/**
 * The canonical form: no fraction, and the largest suffix that allows that; the suffix family stays the same.
 *
 * @returns undefined where the text is no quantity
 */
export function canonicalQuantity(text: string): string | undefined {
  const match = QUANTITY.exec(text);
  if (!match) {
    return undefined;
  }
  const [, sign, digits, suffix = ''] = match;
  const [whole, fraction = ''] = digits.split('.');
  const minus = sign === '-' ? '-' : '';
  const binary = suffix.endsWith('i') ? BINARY.indexOf(suffix) : -1;

  if (binary >= 0) {
    const scaled = BigInt(whole + fraction) * 1024n ** BigInt(binary);
    const divisor = 10n ** BigInt(fraction.length);
    if (scaled % divisor === 0n) {
      return minus + binaryForm(scaled / divisor);
    }
    // A fraction of a byte is told in thousandths, as an API server does.
    return minus + decimalForm(roundUp(scaled * 1000n, divisor), -3, false);
  }

  const exponential = /^[eE][+-]?\d+$/.test(suffix);
  const power = exponential
    ? Number(suffix.slice(1))
    : DECIMAL.find(([name]) => name === suffix)?.[1] ?? 0;
  let value = BigInt(whole + fraction || '0');
  let exponent = power - fraction.length;
  if (exponent < -NANO) {
    value = roundUp(value, 10n ** BigInt(-NANO - exponent));
    exponent = -NANO;
  }
  return minus + decimalForm(value, exponent, exponential);
}

function binaryForm(value: bigint): string {
  let index = 0;
  let rest = value;
  while (rest !== 0n && rest % 1024n === 0n && index < BINARY.length - 1) {
    rest /= 1024n;
    index += 1;
  }
  return `${rest}${BINARY[index]}`;
}

function decimalForm(
  value: bigint,
  exponent: number,
  exponential: boolean,
): string {
  if (value === 0n) {
    return '0';
  }
  let rest = value;
  let power = exponent;
  while (rest % 10n === 0n) {
    rest /= 10n;
    power += 1;
  }
  // A suffix stands for a multiple of three.
  while (power % 3 !== 0 || power > 18) {
    rest *= 10n;
    power -= 1;
  }
  if (exponential) {
    return power === 0 ? `${rest}` : `${rest}e${power}`;
  }
  const suffix = DECIMAL.find(([, of]) => of === power)?.[0] ?? '';
  return `${rest}${suffix}`;
}
