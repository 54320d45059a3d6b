import type { ResourceRow } from '../store';
import { parseLabelSelector } from './labelSelector';
import { matchAll } from './matcher';

describe('parseLabelSelector', () => {
  it.each([
    ['app=orders', { app: 'orders' }, true],
    ['app==orders,tier!=db', { app: 'orders', tier: 'web' }, true],
    ['app==orders,tier!=db', { app: 'orders', tier: 'db' }, false],
    ['tier in (web, api)', { tier: 'api' }, true],
    ['tier in (web, api)', {}, false],
    ['tier notin (web),app', { app: 'x' }, true],
    ['!app', { app: 'x' }, false],
    ['app.kubernetes.io/name=a', { 'app.kubernetes.io/name': 'a' }, true],
  ])('%s on %j is %s', (selector, labels, expected) => {
    expect(parseLabelSelector(selector)?.(labels as never)).toBe(expected);
  });

  it.each(['', ' , ', 'a b', 'in (x', '!a=b', '=x'])(
    '%j is no selector',
    selector => {
      expect(parseLabelSelector(selector)).toBeUndefined();
    },
  );
});

describe('matchAll', () => {
  const resource = (
    name: string,
    over: Partial<Pick<ResourceRow, 'origin' | 'parent'>> = {},
  ) => ({
    id: name,
    ref: { platform: 'konnect/prod', kind: 'services', name },
    ...over,
  });
  const origin = (
    labels: Record<string, string>,
    namespace = 'shop',
    cluster = 'prod',
  ): ResourceRow['origin'] => ({
    source: 's',
    type: 'customResource',
    apiVersion: 'v1',
    kind: 'K',
    name: 'n',
    labels,
    namespace,
    cluster,
  });
  const orders = {
    ref: 'component:default/orders',
    owner: 'group:default/a',
    matches: (labels: Record<string, string>) => labels.app === 'orders',
  };

  it('inherits from the nearest parent that has entities, and never loops', () => {
    const service = resource('service', { origin: origin({ app: 'orders' }) });
    const route = resource('route', {
      origin: origin({}),
      parent: service.ref,
    });
    const a = resource('a', { parent: { ...service.ref, name: 'b' } });
    const b = resource('b', { parent: a.ref });
    const links = matchAll([service, route, a, b], [orders]);
    expect(links.get('route')).toEqual([
      { ref: orders.ref, owner: orders.owner },
    ]);
    expect(links.get('a')).toEqual([]);
  });

  it('heeds namespace and cluster', () => {
    const here = resource('here', { origin: origin({ app: 'orders' }) });
    const there = resource('there', {
      origin: origin({ app: 'orders' }, 'other'),
    });
    const elsewhere = resource('elsewhere', {
      origin: origin({ app: 'orders' }, 'shop', 'test'),
    });
    const links = matchAll(
      [here, there, elsewhere],
      [{ ...orders, namespace: 'shop', cluster: 'prod' }],
    );
    expect(links.get('here')).toHaveLength(1);
    expect(links.get('there')).toEqual([]);
    expect(links.get('elsewhere')).toEqual([]);
  });
});
