import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ACCEPTS } from '../../../src/flags/flag-specs.ts';
import { eventually, requestsAt, setPlan, sharedProcess } from '../../demo.ts';
import { describeInBrowser, sharedBrowser } from './browser.ts';

// Only a guard against a hang: a browser on a busy machine is slow.
vi.setConfig({ testTimeout: 240_000 });

const ROUTE = 'origin=Atocha&destination=Barcelona';
const CARRIERS = ['renfe', 'ouigo', 'avlo'] as const;

/** A way to a server that can be cut. */
async function cuttable(url: string): Promise<{ readonly url: string; cut(): void }> {
  const sockets = new Set<Socket>();
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const { hostname, port } = new URL(url);
  const proxy = createServer((socket) => {
    const upstream = connect(Number(port), hostname);
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.once('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  }).listen(0, hostname);
  await once(proxy, 'listening');
  onTestFinished(() => {
    cut();
    proxy.close();
  });
  return { url: `http://${hostname}:${(proxy.address() as AddressInfo).port}`, cut };
}

describeInBrowser('the traveller’s page, however connections reach the server processes', () => {
  const browser = sharedBrowser();

  describe.each(ACCEPTS)('--accept %s', (accept) => {
    const workers = accept === 'single' ? [] : ['--workers', '2'];
    // Long enough for carriers that answer at once, however busy the machine is: a deadline that passes says `timeout`.
    const server = sharedProcess('--accept', accept, ...workers, '--deadline-ms', '20000');

    async function planAll(patch: object): Promise<void> {
      const { carriersUrl } = server();
      const usual = { fault: null, journeys: null, latency: { kind: 'fixed', ms: 5 } };
      for (const carrier of CARRIERS) await setPlan(carriersUrl, carrier, { ...usual, ...patch });
    }

    test('every carrier fails: the page shows it, and the reason of each', async () => {
      await planAll({ fault: { kind: 'error' } });
      const page = await browser.open();
      await page.goto(`${server().url}/?${ROUTE}`);
      await page.waitForSelector('main[data-state=done]');
      expect(await page.textContent('.empty h2')).toBe('No carrier answered');
      await page.click('.answers summary');
      const reasons = await page
        .locator('.answers li')
        .evaluateAll((all) =>
          all.map((one) => [one.getAttribute('data-state'), one.querySelector('p')?.textContent]),
        );
      expect(reasons).toEqual(
        CARRIERS.map((id) => [
          'error',
          expect.stringContaining(`HTTP Cannot ask \`${id}\`: it answered with status 500`),
        ]),
      );
    });

    test('a carrier hangs: rows of the others, then a notice; leaving ends the next search upstream', async () => {
      await planAll({});
      await setPlan(server().carriersUrl, 'renfe', { fault: { kind: 'hang' } });
      const page = await browser.open();
      await page.goto(`${server().url}/?${ROUTE}`);
      await page.waitForSelector('.journey');
      expect(await page.getAttribute('[data-carrier=renfe]', 'data-state')).toBe('running');
      await page.waitForSelector('main[data-state=done]');
      expect(await page.getAttribute('[data-carrier=renfe]', 'data-state')).toBe('timeout');
      expect(await page.textContent('.notice')).toContain('Renfe did not answer in time.');
      const open = async () => (await requestsAt(server().carriersUrl))['renfe']?.open;
      await eventually(async () => expect(await open()).toBe(0));
      await page.click('[data-again]');
      await eventually(async () => expect(await open()).toBe(1));
      await page.goto('about:blank');
      await eventually(async () => expect(await open()).toBe(0));
    });

    test('the connection breaks in the midst of a search: the rows stay, and it can be asked again', async () => {
      await planAll({});
      await setPlan(server().carriersUrl, 'renfe', { fault: { kind: 'hang' } });
      const page = await browser.open();
      const way = await cuttable(server().url);
      await page.goto(`${way.url}/?${ROUTE}`);
      await page.waitForSelector('.journey');
      way.cut();
      await page.waitForSelector('main[data-state=broken]');
      expect(await page.textContent('.notice')).toMatch(/The connection broke after \d+ trains\./);
      expect(await page.locator('.journey').count()).toBeGreaterThan(0);
      await planAll({});
      await page.click('[data-again]');
      await page.waitForSelector('main[data-state=done]');
      expect(await page.textContent('#count')).toMatch(/\d+ trains of 3 carriers/);
    });
  });
});
