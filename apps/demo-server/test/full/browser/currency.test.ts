import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, expect, test, vi } from 'vitest';
import { sharedProcess, temporaryFolder } from '../../demo.ts';
import { describeInBrowser, sharedBrowser, violationsOf } from './browser.ts';

// Only a guard against a hang: a browser on a busy machine is slow.
vi.setConfig({ testTimeout: 240_000 });

const today = new Date().toISOString().slice(0, 10);
const rates = join(temporaryFolder(afterAll), 'rates.json');
writeFileSync(
  rates,
  JSON.stringify({
    asOf: today,
    source: 'European Central Bank',
    base: 'EUR',
    perBase: { CHF: '0.9412', GBP: '0.8731' },
  }),
);

describeInBrowser('prices in the currency of a traveller, and emissions', () => {
  const server = sharedProcess(
    ...['--deadline-ms', '10000', '--latency', '5', '--rates', rates],
    ...['--carriers', 'osdm,hafas'],
  );
  const browser = sharedBrowser();
  const ROUTE = 'origin=Basel&destination=Milano';
  const done = (page: Page) => page.waitForSelector('main[data-state=done]');
  const priceTexts = async (page: Page) =>
    (await page.locator('.journey:not(.sold) .price').allTextContents()).map((text) =>
      text.replaceAll('\u00a0', ' '),
    );

  test('a currency is chosen in the form: prices are converted, with the price to pay below them, and sorted by it', async () => {
    const page = await browser.open();
    await page.goto(`${server().url}/?${ROUTE}&order=price`);
    await done(page);
    await page.click('#folded > summary');
    await page.click('[data-chip=currency] > summary');
    expect(await page.locator('#currency option').allTextContents()).toEqual(['EUR', 'CHF', 'GBP']);
    await page.selectOption('#currency', 'CHF');
    expect(await page.textContent('[data-chip=currency] summary')).toBe('Prices in CHF');
    await page.click('#search .button.primary:not(.pax-done)');
    await page.waitForURL(/currency=CHF/);
    await page.waitForSelector('#rates:not(:empty)');
    await done(page);
    expect(await page.textContent('#rates')).toMatch(
      new RegExp(
        `^≈ Converted to CHF by rates of European Central Bank of \\w{3} \\d+ \\w{3,4} ${today.slice(0, 4)}\\. The seller’s own price is paid\\.$`,
      ),
    );
    await page.selectOption('#order', 'price');
    await page.waitForSelector('#journeys[data-order=price], .tab[data-order=price][aria-current]');
    const prices = await priceTexts(page);
    expect(prices.length).toBeGreaterThan(2);
    expect(prices.some((text) => /^≈ CHF [\d,]+\.\d\d€[\d,]+\.\d\d$/.test(text))).toBe(true);
    const amounts = prices.map((text) =>
      Number(/CHF ([\d,]+\.\d\d)/.exec(text)?.[1]?.replaceAll(',', '')),
    );
    expect(amounts.every(Number.isFinite)).toBe(true);
    expect(amounts).toEqual([...amounts].sort((a, b) => a - b));
    // What is bought is in the seller's currency.
    const first = page.locator('.journey:not(.sold)', { hasText: '≈ CHF' }).first();
    await first.locator('> details > summary').click();
    const ticket = (await first.locator('.ticket .fare .num').first().textContent()) ?? '';
    expect(ticket.replaceAll('\u00a0', ' ')).toMatch(/^€[\d,]+\.\d\d ≈ CHF [\d,]+\.\d\d$/);
    expect(await violationsOf(page)).toEqual([]);
  });

  test('each journey has its emissions, and the page says how they are known', async () => {
    const page = await browser.open();
    await page.goto(`${server().url}/?${ROUTE}&order=co2`);
    await done(page);
    const texts = await page.locator('.journey .co2').allTextContents();
    expect(texts.length).toBeGreaterThan(2);
    for (const text of texts) expect(text).toMatch(/^ · (?:≈ )?\d+(?:\.\d)? kg CO₂$/);
    const kilograms = texts.map((text) => Number(/[\d.]+/.exec(text)?.[0]));
    expect(kilograms).toEqual([...kilograms].sort((a, b) => a - b));
    const first = page.locator('.journey').first();
    await first.locator('> details > summary').click();
    expect(await first.locator('.seen').last().textContent()).toMatch(
      /kg CO₂ for each passenger, as the carriers report it\.$/,
    );
    await page.goto(`${server().url}/?origin=Wien&destination=Munich&carriers=hafas`);
    await done(page);
    const estimated = page.locator('.journey').first();
    expect(await estimated.locator('.co2').textContent()).toMatch(/^ · ≈ /);
    await estimated.locator('> details > summary').click();
    expect(await estimated.locator('.seen').last().textContent()).toContain(
      'estimated by distance and kind of vehicle.',
    );
  });

  test.each([1280, 390, 320] as const)(
    'at %d px no price is cut, and nothing is wider than the window; without script it is the same',
    async (width) => {
      for (const javaScriptEnabled of [true, false]) {
        const page = await browser.open({ viewport: { width, height: 900 }, javaScriptEnabled });
        await page.goto(
          `${server().url}/?${ROUTE}&currency=CHF${javaScriptEnabled ? '' : '&plain=1'}`,
        );
        if (javaScriptEnabled) await done(page);
        else await page.waitForSelector('.block:last-child #rates:not(:empty)');
        const [wide, cut] = (await page.evaluate(`document.fonts.ready.then(() => [
          document.documentElement.scrollWidth > innerWidth,
          [...document.querySelectorAll('.price b')].filter(
            (one) => one.checkVisibility() && one.scrollWidth > one.clientWidth,
          ).map((one) => one.textContent),
        ])`)) as [boolean, string[]];
        expect([wide, cut]).toEqual([false, []]);
        await page.context().close();
      }
    },
  );

  test('a currency that is none is refused beside its field', async () => {
    const page = await browser.open();
    await page.goto(`${server().url}/?${ROUTE}&currency=francs`);
    await page.waitForSelector('#currency-note');
    expect(await page.getAttribute('#currency', 'aria-invalid')).toBe('true');
  });
});
