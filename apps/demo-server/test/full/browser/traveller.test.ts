import type { PlanPatch } from '@ticketing/carrier-sim';
import type { Page } from 'playwright-core';
import { beforeEach, expect, test, vi } from 'vitest';
import { eventually, sharedProcess } from '../../demo.ts';
import { detailedJourney, PARTY } from '../../detailed-journey.ts';
import { describeInBrowser, sharedBrowser, violationsOf } from './browser.ts';

// A guard alone: a browser on a busy machine takes its time.
vi.setConfig({ testTimeout: 240_000 });

const ROUTE = 'origin=Atocha&destination=Barcelona';
/** The list of a combobox when the server has answered, or will not. */
const SUGGESTED = '.options:not([hidden], [aria-busy])';
const ALL_WELL = { fault: null, journeys: null, latency: { kind: 'fixed', ms: 5 } } as const;

describeInBrowser('the traveller’s page', () => {
  const server = sharedProcess('--deadline-ms', '10000');
  const browser = sharedBrowser();

  const plan = async (carrier: string, patch: PlanPatch): Promise<void> => {
    const { status } = await fetch(`${server().carriersUrl}/plan/${carrier}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(patch),
    });
    expect(status).toBe(200);
  };
  const upstream = async (): Promise<Record<string, { arrived: number; open: number }>> =>
    (await fetch(`${server().carriersUrl}/requests`)).json() as never;
  const done = (page: Page) => page.waitForSelector('main[data-state=done]');
  const status = (page: Page) => page.textContent('#status');
  const times = (page: Page) => page.locator('.journey time:first-of-type').allTextContents();

  beforeEach(async () => {
    for (const carrier of ['renfe', 'ouigo', 'avlo']) await plan(carrier, ALL_WELL);
  });

  test('a search by keyboard alone: stations, day, results, an open journey', async () => {
    const page = await browser.open();
    await page.goto(server().url);
    await page.waitForSelector('main[data-ready]');
    await page.focus('#origin');
    await page.keyboard.type('barc');
    await page.waitForSelector(SUGGESTED);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect(page.inputValue('#origin')).resolves.toBe('Barcelona');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.type('madrid puer');
    await page.waitForSelector(SUGGESTED);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    await page.focus('#destination');
    await page.keyboard.press('Enter');
    await done(page);
    expect(new URL(page.url()).searchParams.get('origin')).toBe('Barcelona');
    expect(await status(page)).toMatch(/^\d+ journeys in \d+ ms$/);
    // On some days the first train is sold out, and has no table of offers.
    const priced = page.locator('.journey', { hasNotText: 'sold out' }).first();
    await priced.locator('> details > summary').focus();
    await page.keyboard.press('Enter');
    expect(await priced.locator('details[open] table').textContent()).toContain('Seller');
  });

  test('the combobox: each key does what ARIA practices say', async () => {
    const page = await browser.open();
    await page.goto(server().url);
    await page.waitForSelector('main[data-ready]');
    const input = page.locator('#origin');
    const active = () => input.getAttribute('aria-activedescendant');
    const type = async (text: string) => {
      await input.fill(text);
      expect(await input.getAttribute('aria-expanded')).toBe('true');
      await page.waitForSelector(SUGGESTED);
    };
    await type('ma');
    const options = page.locator('#origin-options [data-name]');
    const count = await options.count();
    expect(count).toBeGreaterThan(1);
    expect(count).toBeLessThanOrEqual(8);
    await input.press('ArrowDown');
    expect(await active()).toBe('origin-options-0');
    await input.press('ArrowUp');
    expect(await active()).toBe(`origin-options-${count - 1}`);
    await input.press('Home');
    expect(await active()).toBe('origin-options-0');
    await input.press('End');
    expect(await active()).toBe(`origin-options-${count - 1}`);
    await input.press('Escape');
    expect(await input.getAttribute('aria-expanded')).toBe('false');
    expect(await input.inputValue()).toBe('ma');
    await input.press('Escape');
    expect(await input.inputValue()).toBe('');
    await type('CORDOBA');
    expect(await options.first().textContent()).toContain('Córdoba');
    await type('barclona');
    expect(await options.first().textContent()).toBe('Barcelona');
    await type('Saragosse');
    expect(await options.first().textContent()).toContain('Zaragoza');
    await type('nowhere at all');
    expect(await page.textContent('#origin-options')).toBe('No station of that name');
    await input.press('ArrowDown');
    expect(await active()).toBeNull();
    await type('zarag');
    await options.first().click();
    expect(await input.inputValue()).toContain('Zaragoza');
  });

  test('the combobox: without an answer of the server it has the stations of the page', async () => {
    const page = await browser.open();
    await page.route('**/stations?*', (route) => route.abort());
    await page.goto(server().url);
    await page.waitForSelector('main[data-ready]');
    await page.fill('#origin', 'cordoba');
    await page.waitForSelector(SUGGESTED);
    expect(await page.textContent('#origin-options li')).toContain('Córdoba');
    await page.fill('#origin', 'barclona');
    await page.waitForSelector(SUGGESTED);
    expect(await page.textContent('#origin-options')).toBe('No station of that name');
  });

  test('rows of one carrier are there while another hangs; then its chip says so, and it is asked again', async () => {
    await plan('renfe', { fault: { kind: 'hang' } });
    const page = await browser.open();
    await page.goto(`${server().url}/?${ROUTE}`);
    await page.waitForSelector('.journey');
    expect(await page.getAttribute('[data-carrier=renfe]', 'data-state')).toBe('running');
    expect(await page.getAttribute('[data-carrier=ouigo]', 'data-state')).toBe('ok');
    await done(page);
    expect(await page.getAttribute('[data-carrier=renfe]', 'data-state')).toBe('timeout');
    expect(await page.getAttribute('[data-carrier=renfe]', 'title')).toContain('TIMEOUT');
    expect(await status(page)).toMatch(/^\d+ journeys; Renfe did not answer/);
    await page.click('.notes summary');
    expect(await page.textContent('#notes')).toMatch(/four calls, one after the other.*TIMEOUT/);
    expect(await violationsOf(page)).toEqual([]);
    const rows = await page.locator('.journey').count();
    const before = await upstream();
    await plan('renfe', { ...ALL_WELL, latency: { kind: 'fixed', ms: 300 } });
    // What is known stays, dimmed, until something new comes; the others are not asked.
    const asking = await page.evaluate(`new Promise((resolve) => {
      document.querySelector('[data-again]').click();
      const look = () => {
        const stale = document.querySelectorAll('.journeys.stale .journey').length;
        const states = [...document.querySelectorAll('.chip')].map((chip) => chip.dataset.state);
        if (states.includes('running')) resolve({ stale, states });
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    })`);
    expect(asking).toEqual({ stale: rows, states: ['running', 'ok', 'ok'] });
    await page.waitForSelector('[data-carrier=renfe][data-state=ok]');
    await done(page);
    await eventually(async () =>
      expect(await page.locator('.journey').count()).toBeGreaterThan(rows),
    );
    expect(await page.locator('.journeys.stale').count()).toBe(0);
    expect(await status(page)).toMatch(/^\d+ journeys in \d+ ms$/);
    const { ouigo, avlo } = await upstream();
    expect([ouigo?.arrived, avlo?.arrived]).toEqual([
      before['ouigo']?.arrived,
      before['avlo']?.arrived,
    ]);
    expect(new URL(page.url()).searchParams.has('carriers')).toBe(false);
  });

  test('a wrong field is said beside it, and the nearest stations fill it', async () => {
    const page = await browser.open();
    await page.goto(`${server().url}/?origin=Madrit&destination=Barcelona`);
    await page.waitForSelector('#origin-note');
    expect(await page.getAttribute('#origin', 'aria-invalid')).toBe('true');
    expect(await page.getAttribute('#origin', 'aria-describedby')).toBe('origin-note');
    expect(await violationsOf(page)).toEqual([]);
    await page.click('#origin-note button');
    await done(page);
    expect(await page.getAttribute('#origin', 'aria-invalid')).toBeNull();
    expect(await page.inputValue('#origin')).not.toBe('Madrit');
  });

  test('Back shows the search before; sorting keeps the address and the focus', async () => {
    const page = await browser.open();
    await page.goto(`${server().url}/?${ROUTE}`);
    await done(page);
    await page.fill('#destination', 'Sevilla');
    await page.click('button.main');
    await page.waitForURL(/Sevilla/);
    await done(page);
    await page.goBack();
    await eventually(async () => expect(await page.inputValue('#destination')).toBe('Barcelona'));
    await done(page);
    const byDeparture = await times(page);
    expect(byDeparture).toEqual(byDeparture.toSorted());
    await page.focus('[name=order][value=price]');
    await page.keyboard.press('Space');
    await page.waitForURL(/order=price/);
    expect(await page.evaluate("document.activeElement?.getAttribute('value')")).toBe('price');
    await page.waitForSelector('main[data-state=done]');
    const prices = (await page.locator('.price').allTextContents())
      .map((text) => Number.parseFloat(text))
      .filter((price) => !Number.isNaN(price));
    expect(prices).toEqual(prices.toSorted((one, other) => one - other));
  });

  test('filters hide journeys, say how many, and keep focus and open details', async () => {
    const page = await browser.open();
    await page.goto(`${server().url}/?${ROUTE}`);
    await done(page);
    const all = await page.locator('.journey').count();
    const ouigo = page.locator('.journey', { hasText: 'OUIGO' }).first();
    await ouigo.locator('> details > summary').click();
    await page.check('#filters [value=ouigo]');
    await eventually(async () => expect(await page.locator('.journey').count()).toBeLessThan(all));
    const shown = await page.locator('.journey').count();
    expect(await page.textContent('#hidden-count')).toBe(`${all - shown} hidden by the filters`);
    expect(await ouigo.locator('details').getAttribute('open')).not.toBeNull();
    await page.fill('#filters [name=from]', '12:00');
    await eventually(async () => {
      for (const time of await times(page)) expect(time >= '12:00').toBe(true);
    });
  });

  test('no journeys on a day: earlier and later ones are offered', async () => {
    for (const carrier of ['renfe', 'ouigo', 'avlo']) await plan(carrier, { journeys: 0 });
    const page = await browser.open();
    await page.goto(`${server().url}/?${ROUTE}`);
    await done(page);
    expect(await status(page)).toContain('No journeys on this day');
    const next = await page.getAttribute('#pages a:text-is("Later")', 'href');
    expect(new URL(next ?? '', page.url()).searchParams.get('origin')).toBe('Atocha');
    await page.click('#pages a:text-is("Later")');
    await done(page);
    expect(await page.textContent('#pages')).toContain('Earlier');
    expect(await violationsOf(page)).toEqual([]);
  });

  test('Earlier and Later keep the order that was chosen after the search', async () => {
    const page = await browser.open();
    await page.goto(`${server().url}/?${ROUTE}`);
    await done(page);
    for (const order of ['best', 'price']) {
      await page.check(`[name=order][value=${order}]`);
      for (const link of ['Earlier', 'Later']) {
        const to = await page.getAttribute(`#pages a:text-is("${link}")`, 'href');
        expect(new URL(to ?? '', page.url()).searchParams.get('order'), link).toBe(order);
      }
    }
    await page.check('[name=order][value=best]');
    await page.click('#pages a:text-is("Later")');
    await done(page);
    expect(await page.isChecked('[name=order][value=best]')).toBe(true);
    expect(new URL(page.url()).searchParams.get('order')).toBe('best');
  });

  test('a train that is sold out says so, and sorts last by price', async () => {
    let day = '';
    for (let ahead = 1; day === '' && ahead < 30; ahead++) {
      const date = new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10);
      const answer = await fetch(`${server().url}/search?${ROUTE}&date=${date}`);
      const { journeys } = (await answer.json()) as { journeys: { offers: unknown[] }[] };
      if (journeys.some(({ offers }) => offers.length === 0)) day = date;
    }
    expect(day).not.toBe('');
    const page = await browser.open();
    await page.goto(`${server().url}/?${ROUTE}&date=${day}&order=price`);
    await done(page);
    const last = page.locator('.journey').last();
    expect(await last.locator('.price').textContent()).toBe('sold out');
    await last.locator('> details > summary').click();
    expect(await last.textContent()).toContain('No seller has seats left.');
  });

  test.each(['light', 'dark'] as const)('%s: no violation in five states', async (colorScheme) => {
    const page = await browser.open({ colorScheme });
    const violations: unknown[] = [];
    const look = async () => violations.push(...(await violationsOf(page)));
    await page.goto(server().url);
    await page.waitForSelector('main[data-ready]');
    await page.fill('#origin', 'ma');
    await look();
    await page.goto(`${server().url}/?${ROUTE}`);
    await done(page);
    await page.locator('.journey > details > summary').first().click();
    await look();
    await plan('renfe', { fault: { kind: 'error' } });
    await page.goto(`${server().url}/?${ROUTE}`);
    await done(page);
    await look();
    await page.goto(`${server().url}/?origin=Madrit&destination=Barcelona`);
    await page.waitForSelector('#origin-note');
    await look();
    for (const carrier of ['renfe', 'ouigo', 'avlo'])
      await plan(carrier, { ...ALL_WELL, journeys: 0 });
    await page.goto(`${server().url}/?${ROUTE}`);
    await done(page);
    await look();
    expect(violations).toEqual([]);
  });

  test('without script: carriers come one by one, then the sorted list; a wrong field is said', async () => {
    await plan('renfe', { fault: { kind: 'hang' } });
    const page = await browser.open({ javaScriptEnabled: false });
    await page.goto(server().url);
    await page.fill('#origin', 'Madrid');
    await page.fill('#destination', 'Barcelona');
    await page.click('button.main', { noWaitAfter: true });
    await page.waitForSelector('[data-carrier=ouigo]');
    expect(await page.locator('.journey').count()).toBe(0);
    await page.waitForSelector('[data-carrier=renfe][data-state=timeout]');
    await page.waitForSelector('.journey');
    expect(await page.textContent('#status')).toMatch(/Renfe did not answer.*Ask again/);
    await page.goto(`${server().url}/?origin=Madrit&destination=Barcelona&plain=1`);
    expect(await page.textContent('#origin-note')).toContain('Did you mean');
  });

  test('a followed link without script leads to the rendered list', async () => {
    const page = await browser.open({ javaScriptEnabled: false });
    await page.goto(`${server().url}/?${ROUTE}`);
    await page.waitForURL(/plain=1/);
    await page.waitForSelector('.journey');
  });

  test('the server’s markup of a journey and the browser’s are the same', async () => {
    const [plain, page] = [await browser.open({ javaScriptEnabled: false }), await browser.open()];
    await plain.goto(`${server().url}/?${ROUTE}&plain=1`);
    await page.goto(`${server().url}/?${ROUTE}`);
    await done(page);
    const rows = (one: Page) =>
      one.locator('.journey').evaluateAll((all) =>
        all.map((row) => {
          // As if it was opened: the script makes the details then.
          row.querySelector('details')?.dispatchEvent(new Event('toggle'));
          return row.outerHTML;
        }),
      );
    expect(await rows(page)).toEqual(await rows(plain));
  });

  test.each([
    ['light', { colorScheme: 'light' }],
    ['dark', { colorScheme: 'dark' }],
    ['forced colours', { colorScheme: 'dark', forcedColors: 'active' }],
  ] as const)('320 px, %s: nothing scrolls sideways, no violation', async (_, options) => {
    const forced = 'forcedColors' in options;
    const page = await browser.open({ viewport: { width: 320, height: 700 }, ...options });
    await page.goto(server().url);
    await page.waitForSelector('main[data-ready]');
    expect(await violationsOf(page, { forced })).toEqual([]);
    await page.goto(`${server().url}/?${ROUTE}`);
    await done(page);
    await page.locator('.journey > details > summary').first().click();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
    expect(await violationsOf(page, { forced })).toEqual([]);
  });

  test('what is seldom asked is folded, and open where it is asked or wrong', async () => {
    const page = await browser.open();
    await page.goto(server().url);
    await page.waitForSelector('main[data-ready]');
    expect(await page.isVisible('#via')).toBe(false);
    await page.goto(`${server().url}/?${ROUTE}&passengers=1&ages=35,8`);
    await page.waitForSelector('#ages-note');
    expect(await page.isVisible('#via')).toBe(true);
    expect(await page.textContent('#ages-note')).toContain('as many as passengers, 1');
    await page.fill('#passengers', '2');
    await page.fill('#via', 'Zaragoza');
    await page.press('#cards', 'Enter');
    await done(page);
    const asked = new URL(page.url()).searchParams;
    expect([asked.get('ages'), asked.get('via'), asked.get('cards')]).toEqual([
      ...['35,8', 'Zaragoza', null],
    ]);
    expect(await page.locator('#ages-note').count()).toBe(0);
  });

  test('leaving ends the search upstream', async () => {
    await plan('renfe', { fault: { kind: 'hang' } });
    const page = await browser.open();
    await page.goto(`${server().url}/?${ROUTE}`);
    await page.waitForSelector('[data-carrier=ouigo][data-state=ok]');
    await eventually(async () => expect((await upstream())['renfe']?.open).toBe(1));
    await page.goto('about:blank');
    await eventually(async () => expect((await upstream())['renfe']?.open).toBe(0));
  });

  test('what carriers say of a journey is shown on demand, and runs no script', async () => {
    const page = await browser.open();
    page.on('dialog', (dialog) => {
      throw new Error(`Cannot go on: the page says ${dialog.message()}`);
    });
    const query = { date: '2026-12-01', passengers: PARTY };
    const carriers = [{ carrier: 'renfe', state: 'ok', ms: 1, found: 1 }];
    const lines = [
      { type: 'search-started', query, carriers: [], deadline: 0 },
      {
        type: 'journeys-upsert',
        seq: 1,
        journeys: [{ ...detailedJourney, passengers: 3 }],
        removed: [],
        places: {},
        operators: { 11: 'Renfe Viajeros' },
      },
      { type: 'search-done', carriers, complete: true, found: 1, ms: 1 },
    ].map((event) => `${JSON.stringify(event)}\n`);
    await page.route('**/search?*', (route) =>
      route.fulfill({ contentType: 'application/x-ndjson', body: lines.join('') }),
    );
    await page.goto(`${server().url}/?${ROUTE}&passengers=3&ages=,40,8`);
    await done(page);
    const row = page.locator('.journey');
    expect(await row.locator('.price').textContent()).toContain('75.00');
    expect(await row.locator('.changes').textContent()).toBe('1 change, tight');
    await row.locator('> details > summary').click();
    const details = row.locator('.details');
    const said = await details.textContent();
    for (const text of ['platform 7 instead of 5', 'Renfe Viajeros', '2 adults, 1 child']) {
      expect(said).toContain(text);
    }
    const remarks = details.locator('.remarks li').filter({ hasText: 'No bicycles' });
    expect(await remarks.isVisible()).toBe(false);
    await details.locator('.remarks summary').click();
    expect(await remarks.isVisible()).toBe(true);
    expect(await details.locator('.remarks li').first().textContent()).toContain('<script>');
    await details.getByText('2 stops').click();
    expect(await details.getByText('no stop').isVisible()).toBe(true);
    expect(await violationsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
  });

  test('nothing is loaded from elsewhere; script, style and page stay within 20 kB', async () => {
    const page = await browser.open();
    const origins = new Set<string>();
    const sizes: Promise<number>[] = [];
    page.on('response', (response) => {
      origins.add(new URL(response.url()).origin);
      if (response.url().includes('/search?')) return;
      sizes.push(response.headerValue('content-length').then(Number, () => 0));
    });
    await page.goto(`${server().url}/?${ROUTE}`);
    await done(page);
    expect([...origins]).toEqual([server().url]);
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size);
    expect(bytes).toBeGreaterThan(5000);
    expect(bytes).toBeLessThan(20_000);
  });
});
