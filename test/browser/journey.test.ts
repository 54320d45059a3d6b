/**
 * A newcomer's journey in a real browser through the portal that `npm start` gives: a drift is seen, explained and corrected; a
 * live edit and a conflict wait for a person; a template makes a Kong service, from form to green tick.
 */
import { KonnectClient, KubeClient, TOKENS } from '@plumbline/drift-sandbox';
import { stripVTControlCharacters } from 'node:util';
import type { Browser, Locator, Page } from 'playwright-core';
import { launchChromium, provideChromium } from '../src/chromium';
import { describeWhere } from '../src/leftOut';
import { waitFor } from '../src/plumbline';
import { startPortal, type Portal } from '../src/portal';

jest.setTimeout(300_000);

// React's warnings about the components of Backstage itself are not ours to repair.
const OURS = /plugins\/drift|packages\/app/;

const provision = provideChromium();

describeWhere(!('unavailable' in provision), 'Chromium', 'the portal', () => {
  let portal: Portal | undefined;
  let browser: Browser;
  let page: Page;
  let konnect: KonnectClient;
  let kube: KubeClient;
  const complaints: string[] = [];

  beforeAll(async () => {
    portal = await startPortal();
    browser = await launchChromium();
    konnect = new KonnectClient({
      url: portal.konnectUrl,
      token: TOKENS.konnect.console,
    });
    kube = new KubeClient({
      url: portal.kubernetesUrl,
      token: TOKENS.kubernetes.console,
    });
    page = await browser.newPage({
      baseURL: portal.url,
      viewport: { width: 1400, height: 1000 },
    });
    // bundling the pages takes a while on a busy machine
    page.setDefaultTimeout(90_000);
    page.on('console', message => {
      const text = `${message.text()} ${message.location().url}`;
      if (message.type() === 'error' && OURS.test(text)) complaints.push(text);
    });
    page.on('pageerror', error => complaints.push(String(error.stack)));
    page.on('response', response => {
      // a question that moved is answered with 409 on purpose
      if (response.status() >= 400 && response.status() !== 409) {
        complaints.push(`${response.status()} from ${response.url()}`);
      }
    });
  });

  afterAll(async () => {
    await browser?.close();
    await portal?.stop();
  });

  const row = (name: string) => page.getByRole('row').filter({ hasText: name });

  async function openEntity(name: string) {
    await page.goto(`/catalog/default/component/${name}/drift`);
    await page.getByRole('button', { name: 'Check now' }).first().waitFor();
  }

  async function service(plane: string, name: string) {
    return konnect.find(plane, 'services', name);
  }

  async function edit(
    plane: string,
    name: string,
    change: Record<string, number | string>,
  ) {
    await konnect.replace(plane, 'services', {
      ...(await service(plane, name)),
      ...change,
    });
  }

  async function declare(name: string, change: Record<string, number>) {
    const object = await kube.get(await kube.kind('KongService'), name, 'shop');
    await kube.replace(
      { ...object, spec: { ...(object.spec as object), ...change } },
      'kubectl-edit',
    );
  }

  async function confirm(dialog: Locator, label: RegExp) {
    await dialog.getByRole('button', { name: label }).click();
    await dialog.waitFor({ state: 'hidden' });
  }

  it('signs the guest in and lists the components of the sandbox', async () => {
    await page.goto('/?filters[user]=all');
    for (const name of ['Orders', 'Payments', 'Search']) {
      const link = page.getByRole('link', { name, exact: true });
      await link.first().waitFor();
      const hrefs = await link.evaluateAll(all =>
        all.map(one => one.getAttribute('href')),
      );
      // a system is called Payments as well
      expect(hrefs).toContain(
        `/catalog/default/component/${name.toLowerCase()}`,
      );
    }
  });

  it('shows what differs on the page of a component, and puts it right when asked', async () => {
    await openEntity('orders');
    await row('KongService shop/orders').getByText('Drifted').waitFor();
    await row('KongService shop/orders').click();
    const details = page.getByRole('region', {
      name: /KongService shop\/orders/,
    });
    const field = details
      .getByRole('row')
      .filter({ hasText: 'retries' })
      .first();
    await field.waitFor();
    expect(await field.innerText()).toMatch(/3[\s\S]*9/);

    await details
      .getByRole('button', { name: /Preview and reconcile/ })
      .click();
    const dialog = page.getByRole('dialog');
    const planned = dialog.getByRole('row').filter({ hasText: 'retries' });
    await planned.waitFor();
    expect(await planned.innerText()).toMatch(/9[\s\S]*3/);
    expect(await service('prod-gateway', 'orders')).toMatchObject({
      retries: 9,
    });
    await confirm(dialog, /Write these fields/);
    await row('KongService shop/orders').getByText('In sync').waitFor();
    expect(await service('prod-gateway', 'orders')).toMatchObject({
      retries: 3,
    });
  });

  it('corrects a live edit by itself under enforce, and tells the story', async () => {
    await edit('prod-gateway', 'orders', {
      retries: 8,
      connect_timeout: 12_000,
    });
    await waitFor(
      () => service('prod-gateway', 'orders'),
      live => live.retries === 3,
      live => `retries are ${live?.retries}`,
    );
    expect(await service('prod-gateway', 'orders')).toMatchObject({
      connect_timeout: 12_000,
    });
    await openEntity('orders');
    await row('KongService shop/orders').click();
    const details = page.getByRole('region', {
      name: /KongService shop\/orders/,
    });
    await details.getByRole('tab', { name: 'Episodes' }).click();
    const episode = details
      .getByRole('button')
      .filter({ hasText: 'corrected by our write' })
      .filter({ hasText: 'retries' })
      .filter({ hasText: '8' });
    await episode.first().waitFor();
  });

  it('asks before a live edit is touched where policy says so', async () => {
    await openEntity('search');
    await row('KongService shop/search').getByText('In sync').waitFor();
    const { retries } = await service('edge-gateway', 'search');
    await edit('edge-gateway', 'search', { retries: 7 });
    await page.goto(`/drift/conflicts`);
    await page.getByText('Only those of my groups and mine').waitFor();
    const mine = page
      .getByRole('switch')
      .or(page.getByRole('checkbox'))
      .first();
    if (await mine.isChecked()) {
      await page.getByText('Only those of my groups and mine').click();
    }
    const question = page
      .getByRole('article')
      .filter({ hasText: 'KongService shop/search' });
    await question.waitFor();
    expect(await service('edge-gateway', 'search')).toMatchObject({
      retries: 7,
    });
    expect(await question.innerText()).toContain('If nobody decides');
    await question.getByRole('button', { name: 'Choose: Put it back' }).click();
    await confirm(page.getByRole('dialog'), /Confirm/);
    await question.waitFor({ state: 'detached' });
    expect(await service('edge-gateway', 'search')).toMatchObject({ retries });
  });

  it('puts one field back and keeps another, each alone', async () => {
    const { host, retries } = await service('edge-gateway', 'search');
    const edited = { host: 'elsewhere.internal', retries: 7 };
    await edit('edge-gateway', 'search', edited);
    await openEntity('search');
    await row('KongService shop/search').getByText('Drifted').waitFor();
    await row('KongService shop/search').click();
    const details = page.getByRole('region', {
      name: /KongService shop\/search/,
    });
    // what is to be clicked on is drawn over the box itself
    await details
      .getByRole('checkbox', { name: 'Choose /host' })
      .check({ force: true });
    await details.getByText('1 of 2 fields chosen').waitFor();

    await details
      .getByRole('button', { name: 'Preview and reconcile only these' })
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('row').filter({ hasText: '/host' }).waitFor();
    expect(
      await dialog
        .getByRole('list', { name: '1 field stays as it is live' })
        .innerText(),
    ).toBe('/retries');
    expect(await service('edge-gateway', 'search')).toMatchObject(edited);
    await confirm(dialog, /Write these fields/);
    expect(await service('edge-gateway', 'search')).toMatchObject({
      host,
      retries: 7,
    });

    await details.getByRole('tab', { name: 'Fields (1)' }).waitFor();
    await details.getByRole('button', { name: 'Keep live…' }).click();
    await confirm(page.getByRole('dialog'), /Keep live/);
    await details.getByText('kept live').waitFor();
    expect(await service('edge-gateway', 'search')).toMatchObject({
      retries: 7,
    });
    await edit('edge-gateway', 'search', { retries: Number(retries) });
    await row('KongService shop/search').getByText('In sync').waitFor();
  });

  it('leaves a conflict to a person, with all three values, and applies the choice', async () => {
    const faults = `${portal!.konnectUrl}/sandbox/faults`;
    await openEntity('identity');
    await row('KongService shop/identity').getByText('In sync').waitFor();
    const plane = await konnect.controlPlaneId('prod-gateway');
    const before = await service('prod-gateway', 'identity');
    // the portal may not look while both sides move
    await fetch(faults, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ kind: 'status', status: 503, method: 'GET' }),
    });
    const { id, created_at: _c, updated_at: _u, ...body } = before;
    await fetch(
      `${
        portal!.konnectUrl
      }/v2/control-planes/${plane}/core-entities/services/${id}`,
      {
        method: 'PUT',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${TOKENS.konnect.console}`,
        },
        body: JSON.stringify({ ...body, read_timeout: 11_000 }),
      },
    );
    await declare('identity', { read_timeout: 22_000 });
    await fetch(faults, { method: 'DELETE' });

    await row('KongService shop/identity').getByText('Conflicted').waitFor();
    await row('KongService shop/identity').click();
    const details = page.getByRole('region', {
      name: /KongService shop\/identity/,
    });
    const field = details
      .getByRole('row')
      .filter({ hasText: 'read_timeout' })
      .first();
    await field.waitFor();
    expect(await field.innerText()).toMatch(/22000[\s\S]*11000[\s\S]*60000/);
    await details.getByRole('button', { name: /Choose: .*live/i }).click();
    await confirm(page.getByRole('dialog'), /Confirm/);
    await row('KongService shop/identity').getByText('Drifted').waitFor();
    expect(await service('prod-gateway', 'identity')).toMatchObject({
      read_timeout: 11_000,
    });
  });

  it('makes a Kong service from a template, from form to green tick', async () => {
    await page.goto(`/create/templates/default/kong-service`);
    await page.getByLabel('Name', { exact: false }).first().fill('journey');
    const owner = page.getByLabel('Owner', { exact: false }).first();
    await owner.click();
    await page.getByRole('option').filter({ hasText: 'Orders team' }).click();
    await page.getByRole('button', { name: 'Next' }).click();
    await page
      .getByLabel('Upstream host', { exact: false })
      .fill('journey.internal');
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByRole('button', { name: 'Create' }).click();
    await page
      .getByRole('link', { name: /Open the component/ })
      .or(page.getByRole('button', { name: /Open the component/ }))
      .first()
      .click();
    await page.getByRole('heading', { name: 'journey' }).first().waitFor();
    await openEntity('journey');
    await row('KongService shop/journey').getByText('In sync').waitFor();
    await row('KongRoute shop/journey').getByText('In sync').waitFor();
    expect(await service('prod-gateway', 'journey')).toMatchObject({
      host: 'journey.internal',
    });
  });

  it('says nothing on the console or in the log that would worry anybody', () => {
    expect(complaints).toEqual([]);
    const ours = portal!
      .log()
      .split('\n')
      .filter(line =>
        /\b(drift|backstage|catalog|scaffolder)\s+error\b/.test(
          stripVTControlCharacters(line),
        ),
      );
    expect(ours).toEqual([]);
  });

  it('ends on Ctrl-C with nothing left behind', async () => {
    const { url, backendUrl, konnectUrl, kubernetesUrl, stop } = portal!;
    portal = undefined;
    expect(await stop()).toBe(130);
    for (const address of [url, backendUrl, konnectUrl, kubernetesUrl]) {
      await expect(fetch(address)).rejects.toThrow();
    }
  });
});
