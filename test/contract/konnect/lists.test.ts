import { agreesWithDocuments, useKonnect } from './harness';

interface List {
  data: Array<{ id: string; name?: string }>;
  next: string | null;
  offset?: string;
}

describe('Konnect contract: lists', () => {
  const { call, plane } = useKonnect();

  async function services(count: number): Promise<string> {
    const base = await plane();
    for (let i = 0; i < count; i += 1) {
      await call('PUT', `${base}/services/s${i}`, { host: 'a' });
    }
    return `${base}/services`;
  }

  it('give 100 at a time, and the rest by offset or by next', async () => {
    const path = await services(103);
    const first = await call<List>('GET', path);
    expect(first.body.data).toHaveLength(100);
    const { offset, next } = first.body;
    const byOffset = await call<List>('GET', `${path}?offset=${offset}`);
    expect(byOffset.body.data).toHaveLength(3);
    expect(byOffset.body.next).toBeNull();
    expect(byOffset.body.offset).toBeUndefined();
    const byNext = await call<List>('GET', String(next));
    expect(byNext.body).toEqual(byOffset.body);
    const ids = [...first.body.data, ...byOffset.body.data].map(({ id }) => id);
    expect(new Set(ids).size).toBe(103);
  });

  it('keep size and filters in next', async () => {
    const path = await services(3);
    const first = await call<List>('GET', `${path}?size=2&tags=`);
    const next = new URL(String(first.body.next), 'http://x');
    expect(next.searchParams.get('size')).toBe('2');
    expect(
      (await call<List>('GET', String(first.body.next))).body.data,
    ).toHaveLength(1);
  });

  it('neither skip nor repeat what stays while others come and go', async () => {
    const path = await services(6);
    const first = await call<List>('GET', `${path}?size=3`);
    await call('DELETE', `${path}/${first.body.data[0].id}`);
    await call('PUT', `${path}/00000000-0000-4000-8000-000000000000`, {
      host: 'a',
    });
    const rest = await call<List>('GET', `${path}?offset=${first.body.offset}`);
    expect(rest.body.data).toHaveLength(3);
    const seen = new Set(first.body.data.map(({ id }) => id));
    expect(rest.body.data.filter(({ id }) => seen.has(id))).toEqual([]);
  });

  it('refuse sizes outside 1 to 1000, and offsets that are none', async () => {
    const path = await services(1);
    for (const query of [
      'size=0',
      'size=1001',
      'size=ten',
      'offset=nonsense',
    ]) {
      const { status, body } = await call('GET', `${path}?${query}`);
      expect(status).toBe(400);
      expect(body).toMatchObject({ code: 3, message: expect.any(String) });
    }
    expect((await call('GET', `${path}?size=1000`)).status).toBe(200);
  });

  it('filter by tags: a comma is and, a slash is or', async () => {
    const base = await plane();
    const tagged = {
      one: ['a', 'k8s-uid:1'],
      two: ['b', 'k8s-uid:1'],
      none: [],
    };
    for (const [name, tags] of Object.entries(tagged)) {
      await call('PUT', `${base}/services/${name}`, { host: 'a', tags });
    }
    const names = async (tags: string) => {
      const { body } = await call<List>('GET', `${base}/services?tags=${tags}`);
      return body.data.map(({ name }) => name).sort();
    };
    expect(await names('k8s-uid:1')).toEqual(['one', 'two']);
    expect(await names('a,k8s-uid:1')).toEqual(['one']);
    expect(await names('a,b')).toEqual([]);
    expect(await names('a/b')).toEqual(['one', 'two']);
    const mixed = await call('GET', `${base}/services?tags=a,b/c`);
    expect(mixed.status).toBe(400);
  });

  it('filter by name', async () => {
    const path = await services(12);
    const query = async (test: string, value: string) => {
      const { body } = await call<List>(
        'GET',
        `${path}?filter%5Bname%5D%5B${test}%5D=${value}`,
      );
      return body.data.map(({ name }) => name).sort();
    };
    expect(await query('eq', 's1')).toEqual(['s1']);
    expect(await query('contains', 's1')).toEqual(['s1', 's10', 's11']);
  });

  it('are empty without entities, and not found without their parent', async () => {
    const base = await plane();
    const empty = await call('GET', `${base}/plugins`);
    expect(empty.body).toEqual({ data: [], next: null });
    const orphan = await call('GET', `${base}/services/none/routes`);
    expect(orphan.status).toBe(404);
  });

  agreesWithDocuments();
});
