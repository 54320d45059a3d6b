/** The narrowest scope wins, setting by setting. */
import {
  policyInForce,
  portalStatements,
  type PolicyStatement,
} from './policy';

const ref = {
  platform: 'konnect/prod',
  kind: 'services',
  namespace: 'shop',
  name: 'orders',
};
const NOW = 1_000_000;

function statement(
  scope: PolicyStatement['scope'],
  settings: PolicyStatement['settings'],
  more: Partial<PolicyStatement> = {},
): PolicyStatement {
  return { scope, settings, origin: 'config', label: 'config', ...more };
}

function inForce(statements: PolicyStatement[], more: object = {}) {
  return policyInForce({
    ref,
    statements,
    defaults: {},
    maxStalenessMs: 300_000,
    now: NOW,
    ...more,
  });
}

describe('policyInForce', () => {
  it('observes where nobody said anything', () => {
    expect(inForce([]).policy).toEqual({
      mode: 'observe',
      onLiveEdit: 'revert',
      onFirstSight: 'ask',
      actuator: 'direct',
      prune: false,
      paused: false,
    });
  });

  it('takes each setting from the narrowest scope that has it, in whatever order they stand', () => {
    const statements = [
      statement({ name: 'orders', namespace: 'shop' }, { mode: 'ask' }),
      statement(
        { platform: 'konnect/prod' },
        { mode: 'enforce', prune: true, onLiveEdit: 'accept' },
      ),
      statement({ namespace: 'shop' }, { onLiveEdit: 'ask' }),
      statement({ kind: 'routes' }, { onLiveEdit: 'revert', mode: 'observe' }),
    ];
    for (const some of [statements, [...statements].reverse()]) {
      expect(inForce(some).policy).toMatchObject({
        mode: 'ask',
        onLiveEdit: 'ask',
        prune: true,
      });
    }
  });

  it('prefers the portal to app-config at the same width, and the later one within the portal', () => {
    const config = statement({ platform: 'konnect/prod' }, { mode: 'enforce' });
    const rule = (id: string, mode: 'ask' | 'observe', createdAt: number) => ({
      id,
      scope: { platform: 'konnect/prod' },
      settings: { mode },
      reason: 'r',
      by: 'user:default/ann',
      createdAt,
    });
    const portal = portalStatements(
      [rule('2', 'observe', 2), rule('1', 'ask', 1)],
      NOW,
    );
    expect(inForce([...portal, config]).policy.mode).toBe('observe');
    // a narrower one in app-config still wins
    const narrow = statement(
      { platform: 'konnect/prod', kind: 'services' },
      { mode: 'enforce' },
    );
    expect(inForce([narrow, ...portal]).policy.mode).toBe('enforce');
  });

  it('does not count what has ended, and says when the next one ends', () => {
    const rules = [NOW, NOW + 5_000].map((until, index) => ({
      id: String(index),
      scope: { platform: 'konnect/prod' },
      settings: { paused: true },
      reason: 'sale',
      by: 'user:default/ann',
      createdAt: index,
      until,
    }));
    const both = inForce(portalStatements(rules, NOW));
    expect(both).toMatchObject({
      policy: { paused: true },
      changesAt: NOW + 5_000,
      pause: { label: 'user:default/ann', reason: 'sale', until: NOW + 5_000 },
    });
    expect(
      inForce(portalStatements(rules.slice(0, 1), NOW)).policy.paused,
    ).toBe(false);
  });

  it('nudges a controller that is at work, unless somebody said otherwise on purpose', () => {
    const controller = { name: 'kong-operator', evidence: 'tags' };
    expect(inForce([], { controller }).policy.actuator).toBe('operator');
    expect(
      inForce([statement({ kind: 'services' }, { actuator: 'direct' })], {
        controller,
      }).policy.actuator,
    ).toBe('direct');
  });

  it('never writes a mirror', () => {
    const readOnly = 'It is a mirror.';
    expect(
      inForce([statement({ name: 'orders' }, { mode: 'enforce' })], {
        readOnly,
      }).policy.mode,
    ).toBe('observe');
  });
});
