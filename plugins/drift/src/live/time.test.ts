import { formatDuration, formatExact, formatRelative } from './time';

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
