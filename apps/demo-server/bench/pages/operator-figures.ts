// Figures of the operator's page while the server is under load: what an update costs the browser, and what a viewer costs
// the server.
import { median } from '@ticketing/bench-kit';
import type { Browser, CDPSession } from 'playwright-core';
import { type DemoServer, startServer } from '../demo-process.ts';
import { devices, openPage } from './devices.ts';
import { cpuMsOf } from './process-cpu.ts';

const LIVE = 'main[data-state=live]';
const LOAD = {
  ...{ perSecond: 20, seconds: 30 },
  path: '/search?origin=Madrid&destination=Barcelona',
};
/** Counters that Chromium keeps of its main thread, in seconds. */
const PARTS = ['TaskDuration', 'ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration'] as const;
type Part = (typeof PARTS)[number];

export interface OperatorFigures {
  readonly processes: number;
  readonly viewBytes: number;
  /** Milliseconds of the main thread for each update. */
  readonly parts: Readonly<Record<Part, number>>;
  readonly elements: number;
  /** Milliseconds of processor time of all processes in a second. */
  readonly idleCpuMs: number;
  readonly viewedCpuMs: number;
}

/** Starts a server with these flags and measures its view. */
export async function operatorFigures(
  browser: Browser,
  argv: readonly string[],
  length: { readonly updates: number; readonly seconds: number },
): Promise<OperatorFigures> {
  const server = await startServer(['--port', '0', '--worms', '0', ...argv], {
    isBuilt: true,
  });
  try {
    const { processes, viewBytes } = await settled(server);
    const { idleCpuMs, viewedCpuMs } = await serverCost(server, length.seconds);
    const { parts, elements } = await browserCost(browser, server, length.updates);
    return { processes, viewBytes, parts, elements, idleCpuMs, viewedCpuMs };
  } finally {
    await server.stop();
  }
}

/** Waits until every process that the server starts reports. */
async function settled({ url }: DemoServer): Promise<{ processes: number; viewBytes: number }> {
  let before = 0;
  for (let same = 0; ; ) {
    const text = await (await fetch(`${url}/operator/state`)).text();
    const { processes } = JSON.parse(text) as { processes: readonly { state: string }[] };
    const isReady = processes.every(({ state }) => state === 'ready');
    same = isReady && processes.length === before ? same + 1 : 0;
    if (same === 5) return { processes: processes.length, viewBytes: Buffer.byteLength(text) };
    before = processes.length;
    await seconds(1);
  }
}

/** Processor time per second without a viewer, and with one, in turns: a server that has just started does less from second to second. */
async function serverCost(server: DemoServer, length: number) {
  const idle: number[] = [];
  const viewed: number[] = [];
  await seconds(length / 4);
  for (let round = 0; round < 2; round++) {
    idle.push(await cpuPerSecond(server, length / 2));
    const over = new AbortController();
    const { body } = await fetch(`${server.url}/operator/events`, { signal: over.signal });
    const read = body?.pipeTo(new WritableStream()).catch(() => {});
    viewed.push(await cpuPerSecond(server, length / 2));
    over.abort();
    await read;
  }
  return { idleCpuMs: median(idle), viewedCpuMs: median(viewed) };
}

async function cpuPerSecond({ pid = 0 }: DemoServer, length: number): Promise<number> {
  const [start, before] = [performance.now(), cpuMsOf(pid)];
  await seconds(length);
  return ((cpuMsOf(pid) - before) * 1000) / (performance.now() - start);
}

/** Time of the main thread for each update, all that happens between two of them counted. */
async function browserCost(browser: Browser, { url }: DemoServer, updates: number) {
  const { page, session, close } = await openPage(browser, devices.desktop);
  await session.send('Network.enable');
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.goto(`${url}/operator`);
  await page.waitForSelector(LIVE);
  const { status } = await fetch(`${url}/operator/load`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify(LOAD),
  });
  if (status !== 200) throw new Error(`Cannot start a load: got status ${status}`);
  await views(session, 3);
  const before = await metricsOf(session);
  await views(session, updates);
  const after = await metricsOf(session);
  const each = (part: Part): number => ((after(part) - before(part)) * 1000) / updates;
  const elements = await page.evaluate<number>('document.querySelectorAll("*").length');
  await close();
  const parts = Object.fromEntries(PARTS.map((part) => [part, each(part)])) as Record<Part, number>;
  return { parts, elements };
}

/** Resolves when the page has received so many views, and has had the time to show the last one. */
async function views(session: CDPSession, count: number): Promise<void> {
  let left = count;
  await new Promise<void>((resolve) => {
    const take = ({ eventName }: { readonly eventName: string }): void => {
      if (eventName !== 'view') return;
      left -= 1;
      if (left > 0) return;
      session.off('Network.eventSourceMessageReceived', take);
      resolve();
    };
    session.on('Network.eventSourceMessageReceived', take);
  });
  await seconds(0.5);
}

async function metricsOf(session: CDPSession): Promise<(name: string) => number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return (name) => metrics.find((each) => each.name === name)?.value ?? Number.NaN;
}

function seconds(length: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, length * 1000));
}
