import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import { setPlan, sharedServer } from '../../demo.ts';
import { describeInBrowser, sharedBrowser, violationsOf } from './browser.ts';

// Only a guard against a hang: a browser on a busy machine is slow.
vi.setConfig({ testTimeout: 240_000 });

const VALENCIA_SEVILLA = '/?origin=Valencia&destination=Sevilla&date=2026-12-01';
const BARCELONA_MALAGA = '/?origin=Barcelona&destination=Málaga&date=2026-12-01';
const WARNING = 'Two tickets: this connection is not protected.';

describeInBrowser('journeys of two tickets on the traveller’s page', () => {
  const server = sharedServer('--latency', '0', '--guard', 'off');
  const browser = sharedBrowser();
  const done = (page: Page) => page.waitForSelector('main[data-ready][data-state=done]');
  const marked = (page: Page) => page.locator('.journey', { hasText: 'Two tickets' });

  test.each([
    ['light', 1280],
    ['dark', 390],
  ] as const)(
    'they come when they are asked for, and are marked: %s, %i px',
    async (look, width) => {
      const page = await browser.open({ colorScheme: look, viewport: { width, height: 900 } });
      await page.goto(server().url + VALENCIA_SEVILLA);
      await done(page);
      expect(await page.locator('.journey').count()).toBe(0);
      await page.click('#folded summary');
      await page.click('[data-chip=changes] summary');
      const box = page.locator('#split');
      expect(await box.isChecked()).toBe(false);
      await page.click('label:has(#split)');
      await page.click('.search-main > .primary');
      await page.waitForURL(/[?&]split=1/);
      await marked(page).first().waitFor();
      await done(page);
      const count = await page.locator('.journey').count();
      expect(count).toBeGreaterThan(0);
      expect(await marked(page).count()).toBe(count);
      const row = marked(page).first();
      expect(await row.locator('summary .badge').first().textContent()).toBe('Two tickets');
      await row.locator('summary').first().click();
      const warning = row.locator('.unprotected');
      await warning.waitFor();
      expect(await warning.textContent()).toContain(WARNING);
      // Offers of both sides, each for its own train.
      expect(await row.locator('.ticket .fare small').allTextContents()).toEqual(
        expect.arrayContaining(['train 1', 'train 2']),
      );
      expect(await violationsOf(page)).toEqual([]);
      await page.click('#folded summary');
      expect(await box.isChecked()).toBe(true);
    },
  );

  test('through journeys stay without the mark, and their pages are asked for without two tickets', async () => {
    const page = await browser.open();
    await page.goto(`${server().url}${BARCELONA_MALAGA}&split=1&order=departure`);
    await done(page);
    const all = await page.locator('.journey').count();
    const two = await marked(page).count();
    expect(two).toBeGreaterThan(0);
    expect(all).toBeGreaterThan(two);
    const later = page.locator('[data-more=later]');
    expect(await later.getAttribute('href')).not.toContain('split');
    await later.click();
    await page.locator('.journey').nth(all).waitFor();
    await done(page);
    expect(await marked(page).count()).toBe(two);
    expect(await page.locator('.journey', { hasText: 'Two tickets' }).first().isVisible()).toBe(
      true,
    );
  });

  test('after a failure of a carrier every carrier is asked again: two tickets may be of two', async () => {
    await setPlan(server().carriersUrl, 'renfe', { fault: { kind: 'error', share: 1 } });
    const page = await browser.open();
    await page.goto(`${server().url}${VALENCIA_SEVILLA}&split=1`);
    await done(page);
    await setPlan(server().carriersUrl, 'renfe', { fault: null });
    const asked = page.waitForRequest(/\/search\?/);
    await page.click('#notice [data-again], #empty [data-again]');
    const { searchParams } = new URL((await asked).url());
    expect([searchParams.get('split'), searchParams.get('carriers')]).toEqual(['1', null]);
    await page.locator('.journey', { hasText: 'AVE' }).first().waitFor();
    await done(page);
    expect(await marked(page).count()).toBe(await page.locator('.journey').count());
  });

  test('without script they are marked too, and explained in the details', async () => {
    const page = await browser.open({ javaScriptEnabled: false });
    await page.goto(`${server().url}${VALENCIA_SEVILLA}&split=1&plain=1`);
    const row = page.locator('.block:last-child .journey').first();
    expect(await row.locator('summary .badge').first().textContent()).toBe('Two tickets');
    expect(await row.locator('.unprotected').textContent()).toContain(WARNING);
    expect(await page.locator('.block:last-child .journey .how').first().textContent()).toContain(
      'not protected',
    );
  });
});
