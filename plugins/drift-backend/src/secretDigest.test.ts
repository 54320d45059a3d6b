/** Keys that modules get: they stay, and give nothing away about others. */
import { keyFor } from './secretDigest';

describe('keys for purposes', () => {
  it('are the same each time, and others for other purposes and installations', () => {
    expect(keyFor('key', 'one')).toBe(keyFor('key', 'one'));
    expect(keyFor('key', 'one')).toMatch(/^[0-9a-f]{64}$/);
    const others = [keyFor('key', 'two'), keyFor('another', 'one')];
    expect(others).not.toContain(keyFor('key', 'one'));
  });
});
