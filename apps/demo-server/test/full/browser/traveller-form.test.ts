import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import { eventually, sharedProcess } from '../../demo.ts';
import { describeInBrowser, sharedBrowser, violationsOf } from './browser.ts';

// Only a guard against a hang: a browser on a busy machine is slow.
vi.setConfig({ testTimeout: 240_000 });

const ROUTE = 'origin=Madrid&destination=Barcelona';
/** The list of a combobox when the server has answered, or will not. */
const SUGGESTED = '.suggest:not([hidden], [aria-busy])';
const SIZES = [1280, 390, 320] as const;

describeInBrowser('the form of the traveller’s page', () => {
  const server = sharedProcess(
    ...['--deadline-ms', '10000', '--latency', '5'],
    ...['--carriers', 'renfe,ouigo,avlo,osdm'],
  );
  const browser = sharedBrowser();

  const open = async (
    address = '/',
    options: Parameters<ReturnType<typeof sharedBrowser>['open']>[0] = {},
  ): Promise<Page> => {
    const page = await browser.open(options);
    await page.goto(`${server().url}${address}`);
    if (options.javaScriptEnabled !== false) await page.waitForSelector('main[data-ready]');
    return page;
  };
  const done = (page: Page) => page.waitForSelector('main[data-state=done]');
  const focused = (page: Page) => page.evaluate('document.activeElement?.id');
  const asked = (page: Page) => new URL(page.url()).searchParams;
  const search = (page: Page) => page.click('#search .button.primary:not(.pax-done)');

  test('from the load of the page to a search by keyboard alone', async () => {
    const page = await open();
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    // The link over the header leads to the content.
    await press('Tab', 'Enter', 'Tab');
    expect(await focused(page)).toBe('origin');
    await page.keyboard.type('barc');
    await page.waitForSelector(SUGGESTED);
    await press('ArrowDown', 'Enter');
    expect(await page.inputValue('#origin')).toBe('Barcelona');
    await press('Tab');
    expect(await focused(page)).toBe('swap');
    await press('Tab');
    await page.keyboard.type('madrid puer');
    await page.waitForSelector(SUGGESTED);
    await press('ArrowDown', 'Tab');
    expect(await page.inputValue('#destination')).toContain('Madrid Puerta de Atocha');
    expect(await focused(page)).toBe('date');
    await page.focus('#party > summary');
    await press('Tab', 'Enter');
    await done(page);
    expect(asked(page).get('origin')).toBe('Barcelona');
    expect(await page.title()).toMatch(
      /^Barcelona → Madrid Puerta de Atocha-Almudena Grandes, \w{3} \d+ \w{3,4} · Ticketing$/,
    );
    // The focus was in the form, which is folded now.
    expect(await focused(page)).toBe('heading');
    expect(await page.textContent('#heading')).toMatch(
      /^Barcelona to Madrid Puerta .*, \w+day \d+ \w+$/,
    );
    expect(await page.isVisible('#search')).toBe(false);
  });

  test('the form folds into the header: Edit opens it, Escape and a click elsewhere close it', async () => {
    const page = await open();
    await page.fill('#origin', 'Madrid');
    await page.fill('#destination', 'Barcelona');
    await search(page);
    await done(page);
    const pill = page.locator('#folded > summary');
    expect(await pill.textContent()).toMatch(/^MadridtoBarcelona\w{3} \d+ \w{3,4} · 1 adultEdit$/);
    const top = () => page.locator('#results').evaluate((one) => one.getBoundingClientRect().top);
    const before = await top();
    await pill.click();
    await eventually(async () => expect(await focused(page)).toBe('origin'));
    // It lies over the results, which stay where they are.
    expect(await top()).toBe(before);
    expect(await page.inputValue('#destination')).toBe('Barcelona');
    await page.keyboard.press('Escape');
    expect(await page.inputValue('#origin')).toBe('');
    await page.fill('#origin', 'Sevilla');
    await page.focus('#date');
    await page.keyboard.press('Escape');
    expect(await page.isVisible('#search')).toBe(false);
    expect(await page.evaluate('document.activeElement?.className')).toBe('folded');
    await pill.click();
    await page.mouse.click(640, 800);
    expect(await page.isVisible('#search')).toBe(false);
    await pill.click();
    await page.fill('#origin', 'Sevilla');
    await page.fill('#destination', 'Madrid');
    await page.press('#destination', 'Enter');
    await page.waitForURL(/origin=Sevilla/);
    await done(page);
    expect(await pill.textContent()).toContain('SevillatoMadrid');
    expect(await page.isVisible('#search')).toBe(false);
    await page.goBack();
    await eventually(async () => expect(await pill.textContent()).toContain('MadridtoBarcelona'));
    expect(await page.title()).toMatch(/^Madrid → Barcelona/);
    await page.goBack();
    await page.waitForSelector('main[data-view=home]');
    expect(await page.isVisible('#home #search')).toBe(true);
    expect(await page.isVisible('#folded')).toBe(false);
    expect(await page.title()).toBe('Trains of many carriers, asked at once · Ticketing');
  });

  test('neither home nor a folded search moves as it loads', async () => {
    const page = await browser.open();
    await page.addInitScript(`globalThis.shifts = [];
      new PerformanceObserver((list) => globalThis.shifts.push(...list.getEntries()
        .map(({ value, sources }) => ({ value, of: sources.map(({ node }) => node?.outerHTML?.slice(0, 80)) }))))
        .observe({ type: 'layout-shift', buffered: true });`);
    for (const address of ['/', `/?${ROUTE}`, '/?origin=Madird&destination=Barcelona']) {
      await page.goto(`${server().url}${address}`);
      await page.waitForSelector(
        address.includes('Madrid') ? 'main[data-state=done]' : 'main[data-ready]',
      );
      await page.evaluate(
        'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
      );
      const shifts = (await page.evaluate('globalThis.shifts')) as { value: number }[];
      const total = shifts.reduce((sum, { value }) => sum + value, 0);
      expect(total, JSON.stringify(shifts)).toBeLessThan(0.01);
    }
  });

  test('the combobox: each key acts as in the ARIA practices', async () => {
    const page = await open();
    const input = page.locator('#origin');
    const active = () => input.getAttribute('aria-activedescendant');
    const type = async (text: string) => {
      await input.fill(text);
      expect(await input.getAttribute('aria-expanded')).toBe('true');
      await page.waitForSelector(SUGGESTED);
    };
    await type('ma');
    const options = page.locator('#origin-options [data-index]');
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

  test('suggestions: a city with its stations below it, each once, with what was typed in bold', async () => {
    const page = await open();
    await page.fill('#origin', 'madrid');
    await page.waitForSelector(SUGGESTED);
    const rows = await page
      .locator('#origin-options li')
      .evaluateAll((all) => all.map((row) => `${row.className} ${row.textContent}`.trim()));
    expect(rows[0]).toBe('Madridall 2 stations');
    expect(rows.slice(1, 3).every((row) => row.startsWith('station Madrid'))).toBe(true);
    expect(new Set(rows).size).toBe(rows.length);
    expect(await page.locator('#origin-options mark').first().textContent()).toBe('Madrid');
    // Of two places of one name, the one that was chosen is searched.
    await page.fill('#destination', 'essen');
    await page.waitForSelector(`#destination-options${SUGGESTED}`);
    const second = page
      .locator('#destination-options li')
      .filter({ hasText: /^Essen(Belgium)?$/ })
      .last();
    await second.click();
    expect(await page.inputValue('#destination')).not.toMatch(/uic/);
    await page.press('#origin', 'Escape');
    await page.fill('#origin', 'Madrid');
    await search(page);
    await page.waitForURL(/destination=uic/);
    await eventually(async () => expect(await page.title()).toMatch(/^Madrid → Essen/));
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

  test('passengers are counted by buttons, with ages and cards; Done and Escape close', async () => {
    const page = await open();
    await page.fill('#origin', 'Madrid');
    await page.fill('#destination', 'Barcelona');
    const pill = page.locator('#party > summary');
    await pill.click();
    const step = (name: string) => page.getByRole('button', { name, exact: true });
    expect(await step('One adult fewer').isDisabled()).toBe(true);
    await step('One adult more').click();
    await step('One child more').click();
    await page.getByLabel('Age of child').selectOption('5');
    await page.getByLabel('Card of adult 1').selectOption({ label: 'BahnCard 50' });
    expect(await pill.textContent()).toContain('2 adults, 1 child');
    await step('Done').click();
    expect(await page.isVisible('.pax-row')).toBe(false);
    expect(await page.evaluate("document.activeElement?.closest('details')?.id")).toBe('party');
    await search(page);
    await done(page);
    const address = asked(page);
    expect(['passengers', 'ages', 'cards'].map((name) => address.get(name))).toEqual([
      '3',
      ',,5',
      'BC50,,',
    ]);
    expect(await page.textContent('#folded > summary')).toContain('2 adults, 1 child');
    // A link to the search brings them back.
    await page.reload();
    await page.waitForSelector('main[data-ready]');
    await page.click('#folded > summary');
    await pill.click();
    expect(await page.getByLabel('Age of child').inputValue()).toBe('5');
    expect(await page.getByLabel('Card of adult 1').inputValue()).toBe('BC50');
    for (let count = 3; count < 9; count++) await step('One young person more').click();
    expect(await step('One adult more').isDisabled()).toBe(true);
    expect(await page.evaluate("document.activeElement?.getAttribute('aria-label')")).toBe(
      'One young person fewer',
    );
    await page.keyboard.press('Escape');
    expect(await page.isVisible('.pax-row')).toBe(false);
    // The form around it stays open.
    expect(await page.isVisible('#search')).toBe(true);
  });

  test('chips: time, class, changes, via and stops are searched for, and shown on the chips', async () => {
    const page = await open();
    await page.fill('#origin', 'Madrid');
    await page.fill('#destination', 'Barcelona');
    const chip = (name: string) => page.locator(`[data-chip=${name}] summary`);
    await chip('time').click();
    await page.check('[name=arriveBy][value="1"]');
    await page.fill('#time', '20:00');
    await chip('class').click();
    expect(await page.isVisible('#time')).toBe(false);
    await page.getByText('Second class', { exact: true }).click();
    expect(await page.isVisible('[name=class]')).toBe(false);
    await chip('changes').click();
    await page.getByText('Direct only', { exact: true }).first().click();
    await chip('way').click();
    await page.check('#stops');
    const texts = ['Arrive by 20:00', 'Second class', 'Direct only', 'With stops'];
    for (const [index, name] of ['time', 'class', 'changes', 'way'].entries()) {
      expect(await chip(name).textContent()).toBe(texts[index]);
    }
    await search(page);
    await done(page);
    const address = asked(page);
    expect(
      ['time', 'arriveBy', 'class', 'maxTransfers', 'stops'].map((name) => address.get(name)),
    ).toEqual(['20:00', '1', 'second', '0', '1']);
    await page.goto(`${server().url}/?${ROUTE}&via=Zaragoza&maxTransfers=3`);
    await page.waitForSelector('main[data-ready]');
    await page.click('#folded > summary');
    expect(await chip('way').textContent()).toBe('Via Zaragoza');
    expect(await chip('changes').textContent()).toBe('At most 3 changes');
    await chip('time').click();
    await page.fill('#time', '08:30');
    await page.getByRole('button', { name: 'Any time' }).click();
    expect(await chip('time').textContent()).toBe('Any time');
    await search(page);
    await page.waitForURL(/maxTransfers=3/);
    expect(asked(page).get('via')).toBe('Zaragoza');
  });

  test('an error is shown beside its field, and moves no other, and the likely place is a button', async () => {
    const page = await open();
    const boxes = () =>
      page
        .locator('#search .field, #search .chip, .example')
        .evaluateAll((all) => all.map((one) => JSON.stringify(one.getBoundingClientRect())));
    const before = await boxes();
    await search(page);
    expect(await page.textContent('#origin-note')).toBe('Where do you start?');
    expect(await focused(page)).toBe('origin');
    expect(new URL(page.url()).search).toBe('');
    await page.fill('#origin', 'Madird');
    await page.fill('#destination', 'Barcelona');
    await page.press('#destination', 'Escape');
    await search(page);
    await page.waitForSelector('#origin-note .button');
    expect(await page.textContent('#origin-note span')).toBe('We do not know “Madird”.');
    expect(await page.getAttribute('#origin', 'aria-invalid')).toBe('true');
    expect(await page.getAttribute('#origin', 'aria-describedby')).toBe('origin-note');
    expect(await focused(page)).toBe('origin');
    expect(await boxes()).toEqual(before);
    await page.click('#origin-note .button');
    await done(page);
    expect(await page.inputValue('#origin')).toBe('Madrid');
    expect(await page.getAttribute('#origin', 'aria-invalid')).toBeNull();
    expect(await page.locator('#origin-note').count()).toBe(0);
    expect(asked(page).get('destination')).toBe('Barcelona');
  });

  test('a followed link with a wrong field shows the form, with what is wrong in it', async () => {
    const page = await open('/?origin=Madrid&destination=Barcelona&date=2020-01-01');
    await page.waitForSelector('#date-note');
    expect(await page.isVisible('#home #search')).toBe(true);
    await page.goto(`${server().url}/?${ROUTE}&passengers=1&ages=35,8`);
    // The page has the note at the field; the script, which hides the field, moves it to the summary.
    await page.waitForSelector('#ages-note');
    await page.waitForSelector('#party > summary[aria-describedby=ages-note]');
    await page.goto(`${server().url}/?${ROUTE}&via=Madrid`);
    await page.waitForSelector('#via-note');
    expect(await page.isVisible('#via')).toBe(true);
  });

  test('Swap changes both places; what stands for a name of several places goes along', async () => {
    const page = await open('/?origin=uic:7160000&destination=Barcelona');
    await page.click('#folded > summary');
    expect(await page.inputValue('#origin')).toBe('Madrid Puerta de Atocha-Almudena Grandes');
    await page.click('#swap');
    expect(await page.inputValue('#origin')).toBe('Barcelona');
    await search(page);
    await page.waitForURL(/destination=uic/);
    expect(asked(page).get('origin')).toBe('Barcelona');
  });

  test('an example finds something', async () => {
    const page = await open();
    for (const link of await page
      .locator('.example')
      .evaluateAll((all) => all.map((one) => (one as unknown as { href: string }).href))) {
      await page.goto(link);
      await done(page);
      expect(await page.locator('.journey').count(), link).toBeGreaterThan(0);
    }
  });

  test('without script: a search with every field, a wrong field with its likely place, an unknown page', async () => {
    const page = await open('/', { javaScriptEnabled: false });
    await page.fill('#origin', 'Madird');
    await page.fill('#destination', 'Barcelona');
    await page.click('[data-chip=time] summary');
    await page.fill('#time', '08:30');
    await page.click('[data-chip=class] summary');
    await page.check('[name=class][value=second]');
    await page.click('#party > summary');
    await page.fill('#passengers', '2');
    await page.fill('#ages', '35,8');
    await search(page);
    await page.click('#origin-note .button');
    await page.waitForSelector('.journey:visible');
    const address = asked(page);
    expect(
      ['origin', 'time', 'class', 'passengers', 'ages'].map((name) => address.get(name)),
    ).toEqual(['Madrid', '08:30', 'second', '2', '35,8']);
    expect(await page.textContent('#folded > summary')).toContain('1 adult, 1 child');
    await page.click('#folded > summary');
    expect(await page.inputValue('#destination')).toBe('Barcelona');
    await page.goto(`${server().url}/serach`);
    expect(await page.textContent('h1')).toBe('There is no such page');
    expect(await page.getAttribute('.hero a', 'href')).toBe('/search');
    await page.fill('#origin', 'Madrid');
    await page.fill('#destination', 'Barcelona');
    await search(page);
    await page.waitForSelector('.journey:visible');
    expect(new URL(page.url()).pathname).toBe('/');
  });

  /** States of the form, each with how one comes there. */
  const states: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
    home: async () => {},
    async suggestions(page) {
      await page.fill('#destination', 'barc');
      await page.waitForSelector(SUGGESTED);
      await page.press('#destination', 'ArrowDown');
    },
    async passengers(page) {
      await page.press('#destination', 'Escape');
      await page.click('#party > summary');
      await page.click('[data-group=adult][data-step=more]');
      await page.click('[data-group=child][data-step=more]');
    },
    async chip(page) {
      await page.keyboard.press('Escape');
      await page.click('[data-chip=time] summary');
    },
    async error(page) {
      await page.goto(`${server().url}/?origin=Madird&destination=Barcelona`);
      await page.waitForSelector('#origin-note');
    },
    async folded(page) {
      // It has few trains, so that there is little to look through.
      await page.goto(`${server().url}/?origin=Zürich&destination=Milano`);
      await done(page);
      await page.click('#folded > summary');
    },
    async unknown(page) {
      await page.goto(`${server().url}/nowhere`);
      await page.waitForSelector('.hero');
    },
  };

  test.each([
    ...(['light', 'dark'] as const).flatMap((colorScheme) =>
      SIZES.map((width) => [`${colorScheme}, ${width} px`, { width, colorScheme }] as const),
    ),
    ['forced colours, 320 px', { width: 320, colorScheme: 'dark', forced: true }],
    ['text of twice the size, 1280 px', { width: 640, colorScheme: 'light' }],
  ] as const)('%s: no violation in any state, and nothing scrolls sideways', async (_, given) => {
    const { width, colorScheme } = given;
    const forced = 'forced' in given;
    const page = await open('/', {
      viewport: { width, height: 800 },
      colorScheme,
      ...(forced && { forcedColors: 'active' }),
    });
    for (const [name, go] of Object.entries(states)) {
      await go(page);
      expect([name, await violationsOf(page, { forced })]).toEqual([name, []]);
      const scrolled = await page.evaluate('document.documentElement.scrollWidth');
      expect([name, scrolled]).toEqual([name, width]);
    }
  });

  test('controls are at least 44 px high where people touch', async () => {
    const page = await open('/', {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    await page.click('#party > summary');
    await page.click('[data-group=child][data-step=more]');
    const low = await page
      .locator(
        '#search :is(summary, button, input:not([type=hidden], [type=radio], [type=checkbox]), select, .check), .example',
      )
      .evaluateAll((all) =>
        all
          .filter((one) => one.checkVisibility())
          .map((one) => [one.outerHTML.slice(0, 60), one.getBoundingClientRect().height] as const)
          .filter(([, height]) => height < 44),
      );
    expect(low).toEqual([]);
  });
});
