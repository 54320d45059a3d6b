// The example portal from its start to Ctrl-C, in a real browser.
import type { Browser, Page } from 'playwright-core';
import { launchChromium, provideChromium } from '../src/chromium';
import { type RunningPortal, startPortal } from '../src/portal';

// Bundling the pages takes a while on a busy machine.
jest.setTimeout(300_000);

const provision = provideChromium();
const [describeInBrowser, title] =
  'unavailable' in provision
    ? [describe.skip, `the portal (left out: ${provision.unavailable})`]
    : [describe, 'the portal'];

describeInBrowser(title, () => {
  let portal: RunningPortal | undefined;
  let browser: Browser | undefined;
  let page: Page;
  const faults: string[] = [];

  beforeAll(async () => {
    portal = await startPortal();
    browser = await launchChromium();
    page = await browser.newPage({ baseURL: portal.url });
    page.setDefaultTimeout(60_000);
    page.on('pageerror', error => faults.push(`uncaught: ${error.stack}`));
    page.on('console', message => {
      const text = `${message.text()} ${message.location().url}`;
      // React's warnings about the components of Backstage itself are not ours to repair.
      if (
        message.type() === 'error' &&
        /plugins\/drift|packages\/app/.test(text)
      )
        faults.push(`console: ${text}`);
    });
    page.on('response', response => {
      if (response.status() >= 400)
        faults.push(`${response.status()} from ${response.url()}`);
    });
  });

  afterAll(async () => {
    await browser?.close();
    await portal?.stop();
  });

  it('signs the guest in and lists the components of the sandbox', async () => {
    await page.goto('/?filters[user]=all');
    for (const name of ['Orders', 'Payments', 'Search']) {
      await page.getByRole('link', { name, exact: true }).waitFor();
    }
  });

  it("shows the drift of an entity's resources on its page", async () => {
    await page.goto('/catalog/default/component/orders');
    await page.getByRole('tab', { name: 'Drift' }).click();
    await page.getByText('orders', { exact: true }).first().waitFor();
  });

  it('has met no error of its own on the way', () => {
    expect(faults).toEqual([]);
    const errors = portal!
      .log()
      .split('\n')
      .filter(line =>
        /\b(drift|backstage|catalog|scaffolder)\s+error\b/.test(line),
      );
    expect(errors).toEqual([]);
  });

  it('ends on Ctrl-C with nothing left behind', async () => {
    const { backendUrl, konnectUrl, url, stop } = portal!;
    portal = undefined;
    expect(await stop()).toBe(130);
    for (const address of [url, backendUrl, konnectUrl]) {
      await expect(fetch(address)).rejects.toThrow();
    }
  });
});
