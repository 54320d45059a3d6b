import { parseAssignment, parsePath, setField, unsetField } from './fieldPath';

const DEPLOYMENT = {
  metadata: { labels: { 'app.kubernetes.io/name': 'orders' } },
  spec: {
    replicas: 3,
    containers: [
      { name: 'app', image: 'shop/orders:1' },
      { name: 'proxy', image: 'shop/proxy:1' },
    ],
  },
  data: { LIMIT: '4' },
};

describe('parsePath', () => {
  it('reads members, indices, keys and JSON pointers', () => {
    expect(parsePath('spec.containers[name=app].ports[0].port')).toEqual([
      { member: 'spec' },
      { member: 'containers' },
      { key: 'name', value: 'app' },
      { member: 'ports' },
      { index: 0 },
      { member: 'port' },
    ]);
    expect(parsePath('/metadata/labels/app.kubernetes.io~1name')).toEqual([
      { member: 'metadata' },
      { member: 'labels' },
      { member: 'app.kubernetes.io/name' },
    ]);
    expect(parsePath('/spec/containers/[name=app]')).toContainEqual({
      key: 'name',
      value: 'app',
    });
  });

  it.each(['', 'a[', 'a[x'])('refuses %j', text => {
    expect(() => parsePath(text)).toThrow('path');
  });
});

describe('parseAssignment', () => {
  it.each([
    ['retries=9', 'retries', 9],
    ['enabled=false', 'enabled', false],
    ['host=orders.shop.svc', 'host', 'orders.shop.svc'],
    ['tags=[a, b]', 'tags', ['a', 'b']],
    ["x='9'", 'x', '9'],
    ['name=', 'name', ''],
    ['a.b[name=app].image=x:1=2', 'a.b[name=app].image', 'x:1=2'],
  ])('reads %s', (text, path, value) => {
    expect(parseAssignment(text)).toEqual({ path, value });
  });

  it('refuses what sets nothing', () => {
    expect(() => parseAssignment('retries')).toThrow(
      'write field=value, for example retries=9',
    );
  });
});

describe('setField', () => {
  it('changes a copy', () => {
    const changed = setField(DEPLOYMENT, 'spec.replicas', 5);
    expect(changed).toMatchObject({ spec: { replicas: 5 } });
    expect(DEPLOYMENT.spec.replicas).toBe(3);
  });

  it('finds list items by key, index and pointer', () => {
    for (const path of [
      'spec.containers[name=proxy].image',
      'spec.containers[1].image',
      '/spec/containers/1/image',
      '/spec/containers/[name=proxy]/image',
    ]) {
      expect(setField(DEPLOYMENT, path, 'new')).toMatchObject({
        spec: { containers: [{ image: 'shop/orders:1' }, { image: 'new' }] },
      });
    }
  });

  it('makes what is missing on the way', () => {
    expect(setField({}, 'config.minute', 9)).toEqual({ config: { minute: 9 } });
  });

  it('keeps text where there is text', () => {
    expect(setField(DEPLOYMENT, 'data.LIMIT', 9)).toMatchObject({
      data: { LIMIT: '9' },
    });
    expect(setField(DEPLOYMENT, 'data.NEW', true)).toMatchObject({
      data: { NEW: 'true' },
    });
    expect(setField({ retries: 1 }, 'port', 80)).toEqual({
      retries: 1,
      port: 80,
    });
  });

  it.each(['spec.containers[name=none].image', 'spec.replicas.x', 'spec[0]'])(
    'says that %s leads nowhere',
    path => {
      expect(() => setField(DEPLOYMENT, path, 1)).toThrow('leads nowhere');
    },
  );
});

describe('unsetField', () => {
  it('takes out members and list items', () => {
    expect(unsetField(DEPLOYMENT, 'data.LIMIT')).toMatchObject({ data: {} });
    const one = unsetField(DEPLOYMENT, 'spec.containers[name=app]');
    expect(one).toMatchObject({ spec: { containers: [{ name: 'proxy' }] } });
  });

  it('refuses what is not there', () => {
    expect(() => unsetField(DEPLOYMENT, 'spec.nothing')).toThrow(
      "There is no field 'spec.nothing'",
    );
  });
});
