import type { PlanPatch } from '@ticketing/carrier-sim';
import type { Page } from 'playwright-core';
import { beforeEach, expect, test, vi } from 'vitest';
import { eventually, sharedProcess } from '../../demo.ts';
import { detailedJourney, PARTY } from '../../detailed-journey.ts';
import { describeInBrowser, sharedBrowser, violationsOf } from './browser.ts';

// Only a guard against a hang: a browser on a busy machine is slow.
vi.setConfig({ testTimeout: 240_000 });

const ROUTE = 'origin=Atocha&destination=Barcelona';
const ALL_WELL = { fault: null, journeys: null, latency: { kind: 'fixed', ms: 5 } } as const;

/** Layout shifts that nobody caused by input. */
const SHIFTS = `
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries())
      if (!hadRecentInput) shifts.push({ value, of: sources.map(({ node }) => node?.id || node?.className || String(node?.parentElement?.className)) });
  }).observe({ type: 'layout-shift', buffered: true });
`;

/** Returns the day so many days from now, as `2026-12-01`. */
function inDays(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}

describeInBrowser('the results of the traveller’s page', () => {
  // Many tests make a carrier fail: a guard would pause it in the test after them.
  const server = sharedProcess('--deadline-ms', '10000', '--guard', 'off');
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
  const count = (page: Page) => page.textContent('#count').then((text) => text?.trim());
  /** What each carrier answered is there, though closed. */
  const answered = (page: Page, carrier: string, state: string) =>
    page.waitForSelector(`#carriers [data-carrier=${carrier}][data-state=${state}]`, {
      state: 'attached',
    });
  const firstTop = (page: Page) =>
    page.evaluate('document.querySelector(".journey").getBoundingClientRect().top');
  const all = ['renfe', 'ouigo', 'avlo'];
  const times = (page: Page) =>
    page.locator('.journey .run > time:first-of-type').allTextContents();

  beforeEach(async () => {
    for (const carrier of ['renfe', 'ouigo', 'avlo']) await plan(carrier, ALL_WELL);
  });

  test.each([
    [{ width: 1280, height: 900 }, 330],
    [{ width: 390, height: 844 }, 420],
  ] as const)(
    '%j: the first journey begins within %i px, also below a notice',
    async (viewport, most) => {
      const page = await browser.open({ viewport });
      await page.goto(`${server().url}/?${ROUTE}`);
      await done(page);
      expect(await firstTop(page)).toBeLessThanOrEqual(most - 60);
      await plan('renfe', { fault: { kind: 'error' } });
      await page.goto(`${server().url}/?${ROUTE}`);
      await done(page);
      expect(await page.textContent('.notice')).toContain('Renfe did not answer.');
      expect(await firstTop(page)).toBeLessThanOrEqual(most);
    },
  );

  test.each([
    [{ width: 1280, height: 900 }, 'with'],
    [{ width: 390, height: 844 }, 'with'],
    [{ width: 1280, height: 900 }, 'without'],
    [{ width: 390, height: 844 }, 'without'],
  ] as const)(
    '%j, %s script: the layout shifts by less than 0.01 while carriers answer and one fails',
    async (viewport, script) => {
      await plan('ouigo', { latency: { kind: 'fixed', ms: 50 } });
      await plan('avlo', { latency: { kind: 'fixed', ms: 900 } });
      await plan('renfe', { latency: { kind: 'fixed', ms: 1500 }, fault: { kind: 'error' } });
      const page = await browser.open({ viewport });
      await page.addInitScript(SHIFTS);
      const isPlain = script === 'without';
      // The page as a browser without script has it, in one that can measure.
      if (isPlain) await page.route('**/*.js', (route) => route.abort());
      await page.goto(`${server().url}/?${ROUTE}${isPlain ? '&plain=1' : ''}`);
      await page.waitForSelector('.notice');
      if (!isPlain) await done(page);
      const shifts = (await page.evaluate('shifts')) as { value: number }[];
      const sum = shifts.reduce((total, { value }) => total + value, 0);
      expect(sum, JSON.stringify(shifts)).toBeLessThan(0.01);
    },
  );

  test('by keyboard alone: another order, another day, an open journey', async () => {
    const page = await browser.open();
    await page.goto(`${server().url}/?${ROUTE}`);
    await done(page);
    expect(await count(page)).toMatch(/^\d+ trains of 3 carriers$/);
    await page.focus('.tab[data-order=price]');
    await page.keyboard.press('Enter');
    await page.waitForURL(/order=price/);
    await page.waitForSelector('.tab[data-order=price][aria-current]');
    expect(await page.evaluate('document.activeElement?.dataset.order')).toBe('price');
    const day = await page.getAttribute('#days a[aria-label="Day after"]', 'data-day');
    await page.focus('#days a[aria-label="Day after"]');
    await page.keyboard.press('Enter');
    await page.waitForSelector(`#days [aria-current][data-day="${day}"]`);
    await done(page);
    expect(new URL(page.url()).searchParams.get('date')).toBe(day);
    expect(new URL(page.url()).searchParams.get('order')).toBe('price');
    expect(await page.inputValue('#date')).toBe(day);
    expect(await page.evaluate('document.activeElement?.ariaLabel')).toBe('Day after');
    const priced = page.locator('.journey:not(.sold)').first();
    await priced.locator('> details > summary').focus();
    await page.keyboard.press('Enter');
    expect(await priced.locator('details[open] .ticket').first().textContent()).toMatch(/€\d/);
  });

  test('rows of one carrier are there while another hangs; then a notice, and it is asked again', async () => {
    await plan('renfe', { fault: { kind: 'hang' } });
    const page = await browser.open();
    await page.goto(`${server().url}/?${ROUTE}`);
    await page.waitForSelector('.journey');
    await answered(page, 'renfe', 'running');
    await answered(page, 'ouigo', 'ok');
    await answered(page, 'avlo', 'ok');
    expect(await count(page)).toMatch(/^2 of 3 answered · \d+ trains so far$/);
    expect(await page.locator('.answered i.done').count()).toBe(2);
    expect(await page.locator('.ghost').count()).toBe(3);
    const heights = await page
      .locator('.journey, .ghost')
      .evaluateAll((rows) => rows.map((row) => Math.round(row.getBoundingClientRect().height)));
    expect(Math.max(...heights) - Math.min(...heights)).toBeLessThanOrEqual(1);
    expect(await page.textContent('#filters')).toContain('Renfeasking');
    expect(await page.locator('.notice').count()).toBe(0);
    await page.locator('.journey > details > summary').first().click();
    await page.waitForSelector('main[data-state=asking] .inside');
    expect(await violationsOf(page)).toEqual([]);
    await done(page);
    expect(await page.locator('.ghost').count()).toBe(0);
    expect(await page.textContent('.notice')).toContain(
      'Renfe did not answer in time. Its trains are missing below.',
    );
    expect(await page.textContent('#filters')).toContain('Renfeno answer');
    await page.click('.asked > summary');
    expect(await page.textContent('#carriers')).toMatch(/four calls, one after the other.*TIMEOUT/);
    expect(await violationsOf(page)).toEqual([]);
    const rows = await page.locator('.journey').count();
    const before = await upstream();
    await plan('renfe', { ...ALL_WELL, latency: { kind: 'fixed', ms: 300 } });
    // What is known stays, dimmed, until something new comes; the others are not asked.
    const asking = await page.evaluate(`new Promise((resolve) => {
      document.querySelector('[data-again]').click();
      const look = () => {
        const stale = document.querySelectorAll('.journeys.stale .journey').length;
        const states = [...document.querySelectorAll('#carriers li')].map((one) => one.dataset.state);
        if (states.includes('running')) resolve({ stale, states });
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    })`);
    expect(asking).toEqual({ stale: rows, states: ['running', 'ok', 'ok'] });
    await answered(page, 'renfe', 'ok');
    await done(page);
    await eventually(async () =>
      expect(await page.locator('.journey').count()).toBeGreaterThan(rows),
    );
    expect(await page.locator('.journeys.stale, .notice').count()).toBe(0);
    expect(await count(page)).toMatch(/^\d+ trains of 3 carriers$/);
    const { ouigo, avlo } = await upstream();
    expect([ouigo?.arrived, avlo?.arrived]).toEqual([
      before['ouigo']?.arrived,
      before['avlo']?.arrived,
    ]);
    expect(new URL(page.url()).searchParams.has('carriers')).toBe(false);
  });

  test('Back shows the search before; an order keeps the address and the focus', async () => {
    const page = await browser.open();
    await page.goto(`${server().url}/?${ROUTE}&order=departure`);
    await done(page);
    const byDeparture = await times(page);
    expect(byDeparture).toEqual(byDeparture.toSorted());
    await page.click('#days a[aria-label="Day after"]');
    await page.waitForURL(/date=/);
    await done(page);
    await page.goBack();
    await page.waitForURL((url) => !url.searchParams.has('date'));
    await done(page);
    await eventually(async () => expect(await times(page)).toEqual(byDeparture));
    await page.selectOption('#order', 'price');
    await page.waitForURL(/order=price/);
    await page.waitForSelector('.tab[data-order=price][aria-current]');
    const shown = await page.locator('.price b').allTextContents();
    const prices = shown
      .filter((text) => text.startsWith('€'))
      .map((text) => Number(text.slice(1)));
    expect(prices).toEqual(prices.toSorted((one, other) => one - other));
    expect(await page.textContent('.tab[data-order=price] b')).toContain(
      `€${prices[0]?.toFixed(2)}`,
    );
    expect(await page.locator('.journey').first().getAttribute('class')).toContain('cheapest');
  });

  test('a day that was asked for keeps its lowest price in the strip; no other day is searched', async () => {
    const page = await browser.open();
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/search?')) asked.push(request.url());
    });
    await page.goto(`${server().url}/?${ROUTE}`);
    await done(page);
    const [own = ''] = await page.locator('.day[aria-current] b').allTextContents();
    expect(own).toBe(await page.locator('.cheapest .price b').first().textContent());
    expect(await page.locator('.day').count()).toBe(7);
    await page.click('#days a[aria-label="Day after"]');
    await page.waitForURL(/date=/);
    await done(page);
    await page.waitForSelector('.day[aria-current] b:not(:has(.skeleton))');
    expect(await page.locator('.day:not([aria-current]) b').allTextContents()).toContain(own);
    expect(asked).toHaveLength(2);
  });

  test('a row opens at once, also where the rest of the script comes late, or not at the first time', async () => {
    const page = await browser.open();
    let letGo = (): void => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let asked = 0;
    await page.route('**/traveller-later.js', async (route) => {
      asked += 1;
      await held;
      await (asked === 1 ? route.abort() : route.continue());
    });
    await page.goto(`${server().url}/?${ROUTE}`);
    await done(page);
    const row = page.locator('.journey:not(.sold)').first();
    await row.locator('> details > summary').click();
    expect(await row.locator('.pending').textContent()).toBe('Loading the trains and tickets');
    letGo();
    await row.getByText('did not load').waitFor();
    await row.locator('> details > summary').click();
    await row.locator('.pending').waitFor({ state: 'detached' });
    await row.locator('> details > summary').click();
    expect(await row.locator('.ticket').first().textContent()).toMatch(/€\d/);
  });

  test('the days lead to the same search, whatever it asks for', async () => {
    const rest =
      'passengers=2&ages=35,8&class=second&via=Zaragoza&maxTransfers=1&stops=1&order=price';
    for (const javaScriptEnabled of [true, false]) {
      const page = await browser.open({ javaScriptEnabled });
      await page.goto(
        `${server().url}/?${ROUTE}&${rest}&date=${inDays(3)}${javaScriptEnabled ? '' : '&plain=1'}`,
      );
      if (javaScriptEnabled) await done(page);
      await page.waitForSelector('#pages');
      const addresses = await page
        .locator('#days a')
        .evaluateAll((all) => all.map((one) => (one as unknown as { href: string }).href));
      expect(addresses).toHaveLength(9);
      const wanted = Object.fromEntries(new URLSearchParams(`${ROUTE}&${rest}`));
      for (const address of addresses) {
        const { date, plain, ...kept } = Object.fromEntries(new URL(address).searchParams);
        expect(kept).toEqual(wanted);
      }
    }
  });

  test('filters hide journeys, show how many, and keep focus and open details', async () => {
    const page = await browser.open();
    await page.goto(`${server().url}/?${ROUTE}`);
    await done(page);
    const found = await page.locator('.journey').count();
    const ouigo = page.locator('.journey', { hasText: 'OUIGO' }).first();
    await ouigo.locator('> details > summary').click();
    await page.focus('#filters [name=carriers][value=ouigo]');
    await page.keyboard.press('Space');
    await eventually(async () =>
      expect(await page.locator('.journey').count()).toBeLessThan(found),
    );
    expect(await page.evaluate('document.activeElement?.value')).toBe('ouigo');
    const shown = await page.locator('.journey').count();
    expect(await count(page)).toBe(`${shown} of ${found} trains of 3 carriers`);
    expect(await ouigo.locator('> details').getAttribute('open')).not.toBeNull();
    const behind = await page
      .locator('.bands label', { has: page.locator('[value="12"]') })
      .locator('.muted')
      .textContent();
    await page.uncheck('#filters [name=carriers][value=ouigo]');
    await page.check('#filters [name=bands][value="12"]');
    await eventually(async () =>
      expect(await page.locator('.journey').count()).toBe(Number(behind)),
    );
    for (const time of await times(page)) expect(time >= '12:00' && time < '18:00').toBe(true);
    await page.check('#filters [name=changes][value="1"]');
    expect(await page.textContent('.empty h2')).toBe(`Your filters hide all ${found} trains`);
    await page.click('.empty [data-clear]');
    await eventually(async () => expect(await page.locator('.journey').count()).toBe(found));
    expect(await page.locator('#filters :checked').count()).toBe(0);
  });

  test('on a phone the filters are a sheet, which shows how many trains they leave', async () => {
    const page = await browser.open({ viewport: { width: 390, height: 844 }, hasTouch: true });
    await page.goto(`${server().url}/?${ROUTE}`);
    await done(page);
    const found = await page.locator('.journey').count();
    expect(await page.isVisible('#filters')).toBe(false);
    await page.click('#filter-button');
    await page.waitForSelector('#filters');
    await page.check('#sheet [name=bands][value="8"]');
    const show = page.locator('#sheet-show');
    // The number follows in the browser's next frame.
    await eventually(async () => {
      expect(await show.textContent()).toMatch(/^Show \d+ trains?$/);
      expect(await show.textContent()).not.toBe(`Show ${found} trains`);
    });
    const text = (await show.textContent()) ?? '';
    expect(await violationsOf(page)).toEqual([]);
    const small = await page
      .locator('#sheet :is(label, button)')
      .evaluateAll((all) => all.filter((one) => one.getBoundingClientRect().height < 44).length);
    expect(small).toBe(0);
    await show.click();
    await page.waitForSelector('#sheet', { state: 'hidden' });
    const left = Number(/\d+/.exec(text)?.[0]);
    await eventually(async () => expect(await page.locator('.journey').count()).toBe(left));
    expect(await page.textContent('#filter-button')).toBe(' Filters 1');
    await page.click('#filter-button');
    await page.click('#sheet [data-clear]');
    await page.keyboard.press('Escape');
    await page.waitForSelector('#sheet', { state: 'hidden' });
    await eventually(async () => expect(await page.locator('.journey').count()).toBe(found));
  });

  test('Later and Earlier append below a heading of their day, with the order that was chosen, and keep the address', async () => {
    const page = await browser.open();
    await page.goto(
      `${server().url}/?${ROUTE}&date=2026-12-15&order=price`.replace('2026-12-15', inDays(14)),
    );
    await done(page);
    const [url, first] = [page.url(), await page.locator('.journey').first().getAttribute('id')];
    const found = await page.locator('.journey').count();
    for (const [link, day] of [
      ['later', inDays(15)],
      ['earlier', inDays(13)],
    ] as const) {
      await page.focus(`[data-more=${link}]`);
      await page.keyboard.press('Enter');
      await page.waitForSelector(`#day-${day}`);
      await done(page);
      // The focus leads to what was asked for.
      await page.waitForSelector(`#day-${day} h2:focus`);
    }
    expect(await page.locator('.dayhead').count()).toBe(2);
    expect(page.url()).toBe(url);
    expect(await page.locator('.journey').first().getAttribute('id')).toBe(first);
    expect(await page.locator('.journey').count()).toBeGreaterThan(2 * found);
    const after = await page.locator(`#day-${inDays(15)} ~ .journey .price b`).allTextContents();
    const prices = after.map((text) => Number(text.slice(1)));
    const own = prices.slice(0, prices.findIndex((price) => Number.isNaN(price)) >>> 0);
    expect(own.length).toBeGreaterThan(0);
    expect(await violationsOf(page)).toEqual([]);
    // Without script they are links to the same page.
    const plain = await browser.open({ javaScriptEnabled: false });
    await plain.goto(`${server().url}/?${ROUTE}&date=${inDays(14)}&plain=1`);
    await plain.click('[data-more=later]');
    await plain.waitForSelector(`#day-${inDays(15)}`);
  });

  test('a train that is sold out is marked, quietly, and comes last by price', async () => {
    let day = '';
    for (let ahead = 1; day === '' && ahead < 30; ahead++) {
      const date = inDays(ahead);
      const answer = await fetch(`${server().url}/search?${ROUTE}&date=${date}`);
      const { journeys } = (await answer.json()) as { journeys: { offers: unknown[] }[] };
      if (journeys.some(({ offers }) => offers.length === 0)) day = date;
    }
    expect(day).not.toBe('');
    const page = await browser.open();
    await page.goto(`${server().url}/?${ROUTE}&date=${day}&order=price`);
    await done(page);
    const last = page.locator('.journey').last();
    expect(await last.locator('.price').textContent()).toBe('Sold out');
    await last.locator('> details > summary').click();
    expect(await last.locator('.tickets').textContent()).toContain('No seller has seats left.');
  });

  const ask = (page: Page, query = ROUTE) => page.goto(`${server().url}/?${query}`);
  const planAll = async (patch: PlanPatch) => {
    for (const carrier of all) await plan(carrier, { ...ALL_WELL, ...patch });
  };
  /** States of the results, each with how one comes there. */
  const states: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
    async 'an open journey, and what carriers answered'(page) {
      await ask(page);
      await done(page);
      await page.locator('.journey > details > summary').nth(1).click();
      await page.waitForSelector('.inside');
      await page.click('.asked > summary');
    },
    async 'filters in a sheet'(page) {
      await page.setViewportSize({ width: 390, height: 800 });
      await ask(page);
      await done(page);
      await page.click('#filter-button');
      await page.check('#sheet [name=bands][value="8"]');
    },
    async asking(page) {
      await plan('renfe', { fault: { kind: 'hang' } });
      await ask(page);
      await page.waitForSelector('.journey');
    },
    async partial(page) {
      await plan('renfe', { fault: { kind: 'error' } });
      await ask(page);
      await page.waitForSelector('.notice');
    },
    async 'filtered away'(page) {
      await ask(page);
      await done(page);
      await page.evaluate(`document.querySelector('[name=changes][value="1"]').click()`);
      await page.waitForSelector('.empty');
    },
    async 'none that day'(page) {
      await planAll({ journeys: 0 });
      await ask(page);
      await page.waitForSelector('.empty');
    },
    async 'not served'(page) {
      await ask(page, 'origin=Madrid&destination=London');
      await page.waitForSelector('.nowhere');
      await page.click('.answers summary');
    },
    async 'no answer'(page) {
      await planAll({ fault: { kind: 'error' } });
      await ask(page);
      await page.waitForSelector('.empty');
    },
    async broken(page) {
      await page.route('**/search?*', (route) => route.abort());
      await ask(page);
      await page.waitForSelector('main[data-state=broken]');
    },
    async 'too busy'(page) {
      const problem = { title: 'Service Unavailable', status: 503, detail: 'The server is busy' };
      await page.route('**/search?*', (route) => route.fulfill({ status: 503, json: problem }));
      await ask(page);
      await page.waitForSelector('main[data-state=failed]');
      expect(await page.textContent('.empty h2')).toBe('Too many people are searching');
    },
  };

  test.each(Object.entries(states))(
    '%s: no violation in any colours, and nothing scrolls sideways at any size',
    async (name, lead) => {
      const sizes = name === 'filters in a sheet' ? [390, 320] : [1280, 390, 320];
      const page = await browser.open();
      const state = () => page.getAttribute('main', 'data-state');
      // Few trains, of which there is little to look through.
      await planAll({ journeys: 4 });
      await lead(page);
      const own = await state();
      const wrong: unknown[] = [];
      for (const colours of [
        { colorScheme: 'light' },
        { colorScheme: 'dark' },
        { colorScheme: 'dark', forcedColors: 'active' },
      ] as const) {
        await page.emulateMedia(colours);
        for (const width of sizes) {
          await page.setViewportSize({ width, height: 800 });
          // A search that nobody answers ends at its deadline.
          if ((await state()) !== own) await lead(page);
          const found = await violationsOf(page, { forced: 'forcedColors' in colours });
          const wide = Number(await page.evaluate('document.documentElement.scrollWidth'));
          if (found.length > 0 || wide > width) wrong.push({ colours, width, wide, found });
        }
      }
      expect(wrong).toEqual([]);
    },
  );

  test('text of 200 %: nothing scrolls sideways', async () => {
    const page = await browser.open({ viewport: { width: 1280, height: 900 } });
    await page.goto(`${server().url}/?${ROUTE}`);
    await done(page);
    await page.locator('.journey > details > summary').first().click();
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setDeviceMetricsOverride', {
      width: 640,
      height: 450,
      deviceScaleFactor: 2,
      mobile: false,
    });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(640);
    expect(await violationsOf(page)).toEqual([]);
  });

  test('without script: first the places, then what carriers answered, then the whole list', async () => {
    await plan('renfe', { fault: { kind: 'hang' } });
    const page = await browser.open({ javaScriptEnabled: false });
    await page.goto(`${server().url}/?${ROUTE}&plain=1`, { waitUntil: 'commit' });
    await page.waitForSelector('.block:last-child .ghost');
    // Rows of those that answered, before the last one has.
    await page.waitForSelector('.block:last-child:has(.ghost) .journey');
    await page.waitForSelector('.block:last-child .notice');
    expect(await page.locator('.ghost:visible').count()).toBe(0);
    // Nothing is there that needs a script.
    expect(
      await page
        .locator(':is(button, input, select):visible')
        .evaluateAll((all) => all.map((one) => one.textContent)),
    ).toEqual([expect.stringContaining('Departure'), 'Sort']);
    expect(await page.textContent('#count')).toMatch(/\d+ trains of 2 carriers/);
    expect(await page.textContent('#notice')).toMatch(/Renfe did not answer in time.*Ask again/);
    await page.locator('#journeys .journey:not(.sold) > details > summary').first().click();
    expect(await page.isVisible('#journeys .tickets')).toBe(true);
    await plan('renfe', ALL_WELL);
    await page.click('#tabs [data-order=price]');
    await page.waitForSelector('#tabs [data-order=price][aria-current]');
    expect(await page.textContent('#count')).toMatch(/\d+ trains of 3 carriers/);
    await page.selectOption('#order', 'departure');
    await page.click('.block:last-child form.order button');
    await page.waitForURL(/order=departure/);
    await page.waitForSelector('#journeys .journey');
    const byDeparture = await page.locator('#journeys .run > time:first-of-type').allTextContents();
    expect(byDeparture).toEqual(byDeparture.toSorted());
    await page.click('#days [aria-label="Day after"]');
    await page.waitForURL(/date=/);
    await page.waitForSelector('#journeys .journey');
  });

  test('a followed link without script leads to the rendered list, and with script back to the page', async () => {
    const page = await browser.open({ javaScriptEnabled: false });
    await page.goto(`${server().url}/?${ROUTE}`);
    await page.waitForURL(/plain=1/);
    await page.waitForSelector('#journeys .journey');
    const other = await browser.open();
    await other.goto(page.url());
    await other.waitForURL((url) => !url.searchParams.has('plain'));
    await done(other);
  });

  test('the server’s markup of a journey and the browser’s are the same', async () => {
    const [plain, page] = [await browser.open({ javaScriptEnabled: false }), await browser.open()];
    await plain.goto(`${server().url}/?${ROUTE}&plain=1`);
    await page.goto(`${server().url}/?${ROUTE}`);
    await done(page);
    const rows = (one: Page) =>
      one.locator('#journeys .journey').evaluateAll((found) => found.map((row) => row.outerHTML));
    // As if each was opened: the script makes the details then.
    await page
      .locator('.journey > details')
      .evaluateAll((found) => found.map((one) => one.dispatchEvent(new Event('toggle'))));
    await page.waitForFunction(
      `document.querySelectorAll('.journey').length === document.querySelectorAll('.inside').length`,
    );
    expect(await rows(page)).toEqual(await rows(plain));
  });

  test('leaving ends the search upstream', async () => {
    await plan('renfe', { fault: { kind: 'hang' } });
    const page = await browser.open();
    await page.goto(`${server().url}/?${ROUTE}`);
    await answered(page, 'ouigo', 'ok');
    await eventually(async () => expect((await upstream())['renfe']?.open).toBe(1));
    await page.goto('about:blank');
    await eventually(async () => expect((await upstream())['renfe']?.open).toBe(0));
  });

  test('remarks of carriers on a journey are shown on demand, and runs no script', async () => {
    const page = await browser.open();
    page.on('dialog', (dialog) => {
      throw new Error(`Cannot go on: the page says ${dialog.message()}`);
    });
    const ends = { origin: { name: 'Madrid' }, destination: { name: 'Barcelona' } };
    const query = { date: '2026-12-01', passengers: PARTY, ...ends };
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
    expect(await row.locator('.price').textContent()).toContain('€75.00');
    expect(await row.locator('.how').textContent()).toContain('1 change, tight');
    expect(await row.locator('.flag').textContent()).toBe('2 min late');
    await row.locator('> details > summary').click();
    const inside = row.locator('.inside');
    const said = await inside.textContent();
    for (const text of ['Platform 7 instead of 5', 'Renfe Viajeros', '2 adults, 1 child']) {
      expect(said).toContain(text);
    }
    const remarks = inside.locator('.remarks li').filter({ hasText: 'No bicycles' });
    expect(await remarks.isVisible()).toBe(true);
    expect(await inside.locator('.remarks li').nth(1).textContent()).toContain('<script>');
    await inside.getByText('2 stops').click();
    expect(await inside.getByText('no stop').isVisible()).toBe(true);
    expect(await violationsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
  });

  test('nothing is loaded from elsewhere; script, style and page stay within 30 kB', async () => {
    const page = await browser.open();
    const origins = new Set<string>();
    const sizes: Promise<number>[] = [];
    page.on('response', (response) => {
      origins.add(new URL(response.url()).origin);
      // Rows are shown before the font and what opens them have come.
      if (/\/(?:search|calendar)\?|\.woff2$|-later\.js$/.test(response.url())) return;
      sizes.push(response.headerValue('content-length').then(Number, () => 0));
    });
    await page.goto(`${server().url}/?${ROUTE}`);
    await done(page);
    expect([...origins]).toEqual([server().url]);
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size);
    expect(bytes).toBeGreaterThan(5000);
    expect(bytes).toBeLessThan(30_000);
  });
});
