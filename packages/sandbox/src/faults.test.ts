import { AddressInfo } from 'node:net';
import { createServer, Server } from 'node:http';
import express from 'express';
import { createFaults, FaultOrder, Faults } from './faults';

describe('createFaults', () => {
  let faults: Faults;
  let server: Server;
  let url: string;
  let items: string[];
  let writes: number;
  let delays: number[];
  let random: number;

  beforeEach(async () => {
    items = ['a', 'b', 'c', 'd'];
    writes = 0;
    delays = [];
    random = 0.5;
    faults = createFaults({
      random: () => random,
      delay: async ms => {
        delays.push(ms);
      },
    });
    const app = express();
    app.use(faults.middleware);
    app.get('/data', (_request, response) => {
      response.json({ data: items, next: '/data?offset=x', offset: 'x' });
    });
    app.get('/items', (_request, response) => {
      const metadata = { resourceVersion: '7', continue: 'x' };
      response.type('json');
      response.write(JSON.stringify({ kind: 'List', metadata, items }));
      response.end();
    });
    app.post('/data', (_request, response) => {
      writes += 1;
      response.status(201).json({ id: 'e' });
    });
    app.get('/sandbox/requests', (_request, response) => {
      response.json({ total: 0 });
    });
    server = createServer(app);
    await new Promise<void>(done => {
      server.listen(0, '127.0.0.1', done);
    });
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    await new Promise(done => {
      server.close(done);
      server.closeAllConnections();
    });
  });

  const get = async (path: string) => (await fetch(`${url}${path}`)).json();
  const post = (path: string, body?: unknown) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body ?? {}),
    });

  it('lets everything pass as long as nothing is ordered', async () => {
    expect(await get('/data')).toEqual({
      data: ['a', 'b', 'c', 'd'],
      next: '/data?offset=x',
      offset: 'x',
    });
    expect((await get('/items')).items).toEqual(items);
  });

  it('answers an error before the request takes effect, so many times', async () => {
    faults.add({ kind: 'status', method: 'POST', times: 2, retryAfter: 3 });
    const first = await post('/data');
    expect(first.status).toBe(503);
    expect(first.headers.get('retry-after')).toBe('3');
    expect((await post('/data')).status).toBe(503);
    expect(writes).toBe(0);
    expect((await post('/data')).status).toBe(201);
    expect(writes).toBe(1);
  });

  it('answers an error after the request took effect', async () => {
    faults.add({ kind: 'status', status: 502, when: 'after' });
    const answer = await post('/data');
    expect(answer.status).toBe(502);
    expect(await answer.json()).toMatchObject({ status: 502 });
    expect(writes).toBe(1);
  });

  it('answers 429, with Retry-After only when asked', async () => {
    faults.add({ kind: 'throttle', times: 1 });
    faults.add({ kind: 'throttle', retryAfter: 7 });
    const bare = await fetch(`${url}/data`);
    expect([bare.status, bare.headers.get('retry-after')]).toEqual([429, null]);
    const told = await fetch(`${url}/data`);
    expect([told.status, told.headers.get('retry-after')]).toEqual([429, '7']);
  });

  it.each(['before', 'after'] as const)(
    'drops the connection %s the request takes effect',
    async when => {
      faults.add({ kind: 'drop', when, method: 'POST', times: 1 });
      await expect(post('/data')).rejects.toThrow('fetch failed');
      expect(writes).toBe(when === 'after' ? 1 : 0);
      expect((await post('/data')).status).toBe(201);
    },
  );

  it('breaks a list in the middle of its JSON', async () => {
    faults.add({ kind: 'truncate', path: '/data' });
    const answer = await fetch(`${url}/data`);
    expect(answer.status).toBe(200);
    await expect(answer.json()).rejects.toThrow(/JSON/);
  });

  it('ends the connection in the middle of a list', async () => {
    faults.add({ kind: 'truncate', how: 'cut' });
    const answer = await fetch(`${url}/data`);
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow('terminated');
  });

  it('leaves out the tail of a list without saying so', async () => {
    faults.add({ kind: 'truncate', how: 'short' });
    expect(await get('/data')).toEqual({ data: ['a', 'b'], next: null });
    expect(await get('/items')).toEqual({
      kind: 'List',
      metadata: { resourceVersion: '7' },
      items: ['a', 'b'],
    });
  });

  it('answers an empty list', async () => {
    faults.add({ kind: 'empty', path: '/da*' });
    expect(await get('/data')).toEqual({ data: [], next: null });
    expect((await get('/items')).items).toEqual(items);
  });

  it('answers reads as they were before', async () => {
    await get('/data');
    items = ['new'];
    faults.add({ kind: 'stale' });
    expect((await get('/data')).data).toEqual(['a', 'b', 'c', 'd']);
    expect((await get('/items')).items).toEqual(['new']);
    items = ['newer'];
    expect((await get('/items')).items).toEqual(['new']);
    expect((await post('/data')).status).toBe(201);
    faults.clear();
    expect((await get('/data')).data).toEqual(['newer']);
  });

  it('delays, with jitter, and combines with another fault', async () => {
    faults.add({ kind: 'latency', ms: 100, jitterMs: 50 });
    faults.add({ kind: 'status', status: 500 });
    expect((await fetch(`${url}/data`)).status).toBe(500);
    expect(delays).toEqual([125]);
  });

  it('hits a share of the requests', async () => {
    faults.add({ kind: 'status', probability: 0.3 });
    expect((await fetch(`${url}/data`)).status).toBe(200);
    random = 0.2;
    expect((await fetch(`${url}/data`)).status).toBe(503);
  });

  it('is ordered, listed and cleared over HTTP, and never hits itself', async () => {
    const ordered = await post('/sandbox/faults', { kind: 'status' });
    expect(ordered.status).toBe(201);
    expect(await ordered.json()).toEqual({
      id: 'fault-1',
      kind: 'status',
      hits: 0,
    });
    await post('/sandbox/faults', { kind: 'empty', method: 'get' });
    expect((await get('/sandbox/requests')).total).toBe(0);
    expect((await get('/sandbox/faults')).faults).toHaveLength(2);
    const one = await fetch(`${url}/sandbox/faults/fault-1`, {
      method: 'DELETE',
    });
    expect(await one.json()).toEqual({ cleared: 1 });
    const none = await fetch(`${url}/sandbox/faults/fault-1`, {
      method: 'DELETE',
    });
    expect(none.status).toBe(404);
    const all = await fetch(`${url}/sandbox/faults`, { method: 'DELETE' });
    expect(await all.json()).toEqual({ cleared: 1 });
  });

  it.each([
    [{ kind: 'magic' }, '\'kind\' is "magic": it must be one of latency'],
    [{ kind: 'status', status: 200 }, "'status' is 200"],
    [{ kind: 'drop', times: 0 }, "'times' is 0"],
    [{ kind: 'drop', probability: 2 }, "'probability' is 2"],
    [{ kind: 'latency' }, "'ms' is undefined"],
    [{ kind: 'drop', wen: 'after' }, "no fault field 'wen'"],
  ])('refuses %j', async (order, message) => {
    expect(() => faults.add(order as FaultOrder)).toThrow(message);
    const answer = await post('/sandbox/faults', order);
    expect(answer.status).toBe(400);
    expect((await answer.json()).message).toContain(message);
  });
});
