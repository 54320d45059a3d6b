/** A probe brings a sweep forward, and only that: the whole backend and both platforms over HTTP, with sweeps that are far between. */
import { startPlumbline, waitFor, type Plumbline } from '../src/plumbline';

jest.setTimeout(180_000);

describe('With sweeps that are far between, Plumbline', () => {
  let plumbline: Plumbline;

  afterEach(() => plumbline?.stop());

  beforeEach(async () => {
    plumbline = await startPlumbline({
      drift: { resync: '30m', maxStaleness: '2h' },
      controlPlane: { probeInterval: '1s' },
    });
    await waitFor(
      () => plumbline.client.getSummary(),
      summary =>
        summary.total > 50 && summary.byVerdict.InSync === summary.total,
      summary => `verdicts: ${JSON.stringify(summary?.byVerdict)}`,
      120_000,
    );
  });

  const requests = (path: RegExp) =>
    plumbline.sandbox.konnect.sandbox.requests
      .report()
      .requests.filter(request => path.test(request.path))
      .reduce((sum, { count }) => sum + count, 0);
  const probes = () => requests(/\/expected-config-hash$/);
  const sweeps = async () =>
    new Map(
      (await plumbline.client.getFleet()).platforms.map(
        ({ id, lastCompleteAt }) => [id, lastCompleteAt],
      ),
    );

  async function edit(retries: number) {
    const entity = await plumbline.konnect.find(
      'prod-gateway',
      'services',
      'payments',
    );
    await plumbline.konnect.replace('prod-gateway', 'services', {
      ...entity,
      retries,
    });
    return entity.retries;
  }

  const retries = async () =>
    (await plumbline.konnect.find('prod-gateway', 'services', 'payments'))
      .retries;

  async function moreProbes(count: number) {
    const before = probes();
    await waitFor(
      async () => probes(),
      asked => asked >= before + count,
      asked => `${asked} probes after ${before}`,
    );
  }

  /** The last sweeps, once those of the start are over: probes are answered, and nobody sweeps. */
  async function atRest() {
    let last = await sweeps();
    return waitFor(
      async () => {
        const before = last;
        await moreProbes(4);
        last = await sweeps();
        return { last, isSame: `${[...before]}` === `${[...last]}` };
      },
      ({ isSame }) => isSame,
      () => `last sweeps: ${[...last]}`,
    ).then(found => found.last);
  }

  it('sees an edit by one question and one sweep of that control plane alone', async () => {
    const before = await atRest();
    const declared = await edit(9);
    await waitFor(
      retries,
      live => live === declared,
      live => `retries are ${live}`,
    );
    await plumbline.until(
      'services',
      'payments',
      ({ verdict }) => verdict === 'InSync',
    );
    const after = await sweeps();
    const swept = [...after].filter(([id, at]) => before.get(id) !== at);
    expect(swept.map(([id]) => id)).toEqual(['konnect/prod-gateway']);

    // what was put back changed the hash again: that brings no second sweep within the same resync
    await moreProbes(6);
    expect(await sweeps()).toEqual(after);
  });
});
