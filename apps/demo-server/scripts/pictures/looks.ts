import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** Sharper than a README shows them, for screens that are. */
const desktop = { viewport: { width: 1280, height: 900 }, deviceScaleFactor: 1.5 };

/** Screens and schemes of the pictures. */
const looks = {
  light: desktop,
  dark: { ...desktop, colorScheme: 'dark' },
  phone: {
    viewport: { width: 390, height: 844 },
    ...{ deviceScaleFactor: 2, isMobile: true, hasTouch: true },
  },
  /** Width and height of the moving picture. */
  story: { viewport: { width: 1280, height: 800 } },
} as const satisfies Readonly<Record<string, BrowserContextOptions>>;
export type Look = keyof typeof looks;

/** Opens a page of a server, in a context of its own that has the typeface: one that comes late is not used. */
export async function openLook(
  browser: Browser,
  url: string,
  look: Look,
): Promise<{ readonly page: Page; close(): Promise<void> }> {
  const context = await browser.newContext({ locale: 'en-GB', ...looks[look] });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(url);
  await page.evaluate(`document.fonts.load('1em Geist').then(() => {})`);
  return { page, close: () => context.close() };
}
