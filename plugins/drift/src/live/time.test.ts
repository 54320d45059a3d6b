import {
  formatDuration,
  formatExact,
  formatMeasured,
  formatRelative,
  formatWholeDuration,
  parseDuration,
} from './time';

const NOW = Date.parse('2026-12-01T12:00:00Z');

describe('formatDuration', () => {
  it.each([
    [0, '0 s'],
    [59.9, '59 s'],
    [60, '1 min'],
    [3599, '59 min'],
    [3600, '1 h'],
    [86_399, '23 h'],
    [86_400, '1 d'],
    [900_000, '10 d'],
  ])('%d seconds', (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text);
  });
});

describe('durations that people write', () => {
  it.each([
    ['30 s', 30],
    ['10 min', 600],
    ['10min', 600],
    [' 1 H 30 Minutes ', 5400],
    ['1.5 h', 5400],
    ['2 d', 172_800],
  ])('%s', (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds);
    expect(parseDuration(formatWholeDuration(seconds))).toBe(seconds);
  });

  it.each(['', '10', 'min', '-3 s', '10 parsecs', '1 constructor', '1 h x'])(
    'does not guess what %j means',
    text => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );

  it.each([
    [0, '0 s'],
    [90, '1 min 30 s'],
    [604_800, '7 d'],
  ])('says %d seconds without rounding', (seconds, text) => {
    expect(formatWholeDuration(seconds)).toBe(text);
  });

  it.each([
    [0.04, '0 s'],
    [0.42, '0.4 s'],
    [9.94, '9.9 s'],
    [20.4, '20 s'],
    [95.2, '1 min 35 s'],
    [7261, '2 h 1 min'],
  ])('says a measured %d', (seconds, text) => {
    expect(formatMeasured(seconds)).toBe(text);
  });
});

describe('formatRelative', () => {
  it.each([
    ['2026-12-01T11:59:40Z', '20 s ago'],
    ['2026-12-01T12:00:40Z', 'in 40 s'],
    ['2026-12-01T12:00:00.400Z', 'now'],
    ['2026-11-28T12:00:00+00:00', '3 d ago'],
  ])('%s', (time, text) => {
    expect(formatRelative(time, NOW)).toBe(text);
  });

  it('says a bare age, never a negative one', () => {
    expect(formatRelative('2026-12-01T11:00:00Z', NOW, 'age')).toBe('1 h');
    expect(formatRelative('2026-12-01T12:00:09Z', NOW, 'age')).toBe('0 s');
  });
});

it('says that something overdue is due now', () => {
  expect(formatRelative('2026-12-01T11:59:00Z', NOW, 'due')).toBe('now');
  expect(formatRelative('2026-12-01T12:00:30Z', NOW, 'due')).toBe('in 30 s');
});

it('gives the exact time with seconds and zone', () => {
  expect(formatExact('2026-12-01T12:34:56Z')).toMatch(/34:56.*UTC|56.*GMT/);
});
