import type { Browser, BrowserContextOptions, CDPSession, Page } from 'playwright-core';

/** Screens that pages are measured on. */
export const devices = {
  desktop: { viewport: { width: 1280, height: 900 } },
  phone: {
    viewport: { width: 390, height: 844 },
    ...{ deviceScaleFactor: 3, isMobile: true, hasTouch: true },
  },
  narrow: { viewport: { width: 320, height: 640 } },
} as const satisfies Readonly<Record<string, BrowserContextOptions>>;

/** Profiles of Chromium's developer tools: kbit/s down, and milliseconds until an answer begins. */
export const networks = {
  'this machine': undefined,
  'Fast 3G': { kbits: 1440, latencyMs: 562 },
  'Slow 3G': { kbits: 400, latencyMs: 2000 },
} as const;
export type NetworkName = keyof typeof networks;

/** Figures that a page records of itself, as `window.seen`. */
export interface Seen {
  /** Sum of all shifts that no input explains: a stricter figure than that of the worst second. */
  readonly shift: number;
  readonly largestMs: number;
  /** Durations of tasks of 50 ms and more. */
  readonly longTasks: readonly number[];
}

const OBSERVE = `
  window.seen = { shift: 0, largestMs: 0, longTasks: [] };
  const watch = (type, take) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
  watch('layout-shift', (entry) => { if (!entry.hadRecentInput) seen.shift += entry.value; });
  watch('largest-contentful-paint', (entry) => { seen.largestMs = entry.startTime; });
  watch('longtask', (entry) => seen.longTasks.push(entry.duration));`;

/** A page in a context of its own, with an empty cache. */
export interface OpenPage {
  readonly page: Page;
  readonly session: CDPSession;
  /** Returns what the page has seen of itself until now. */
  seen(): Promise<Seen>;
  close(): Promise<void>;
}

/** Opens an empty page. */
export async function openPage(
  browser: Browser,
  options: BrowserContextOptions,
  network: NetworkName = 'this machine',
): Promise<OpenPage> {
  const context = await browser.newContext({ locale: 'en-GB', ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.addInitScript(OBSERVE);
  const session = await context.newCDPSession(page);
  const slow = networks[network];
  if (slow !== undefined) {
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', {
      ...{ offline: false, latency: slow.latencyMs },
      ...{ downloadThroughput: (slow.kbits * 1000) / 8, uploadThroughput: (slow.kbits * 1000) / 8 },
    });
  }
  return {
    ...{ page, session },
    seen: () => page.evaluate('seen'),
    close: () => context.close(),
  };
}
