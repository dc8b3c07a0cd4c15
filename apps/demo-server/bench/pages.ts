// What the pages cost and give in a real browser: where the first journey is, shifts, bytes, times on slow networks, faults of
// accessibility, and what an update of the operator's page costs. Writes the tables into docs/measurements/pages.md; `--quick`
// only prints them.
import { benchFlags, circumstances, median, report, table } from '@ticketing/bench-kit';
import { chromium } from 'playwright-core';
import { chromiumPath } from '../scripts/chromium.ts';
import { CARRIER_NAMES } from '../src/carriers/carriers.ts';
import { startServer } from './demo-process.ts';
import { devices, type NetworkName, networks } from './pages/devices.ts';
import { type OperatorFigures, operatorFigures } from './pages/operator-figures.ts';
import {
  bytesOf,
  firstRowMs,
  opened,
  plansOf,
  SEARCH,
  violationsByState,
} from './pages/traveller-figures.ts';

const FILE = new URL('../../../docs/measurements/pages.md', import.meta.url);
const PARTS = ['traveller', 'operator'] as const;
const flags = benchFlags(
  { rounds: 3, seconds: 20 },
  {
    quickLengths: { rounds: 1, seconds: 3 },
    texts: { only: `One part alone: ${PARTS.join(' or ')}` },
  },
);
const { rounds, seconds, only } = flags;
if (chromiumPath === undefined) {
  console.error('Cannot measure: install chromium, or set CHROMIUM');
  process.exit(2);
}
if (only !== undefined && !PARTS.some((part) => part === only)) {
  console.error(`Cannot measure: --only must be ${PARTS.join(' or ')}, got ${only}`);
  process.exit(2);
}
const browser = await chromium.launch({ executablePath: chromiumPath });
const made = circumstances('pnpm --filter demo-server bench:pages', flags);
try {
  if (only !== 'operator') write('traveller', await travellerLines());
  if (only !== 'traveller') write('operator', await operatorLines());
} finally {
  await browser.close();
}

function write(marks: string, lines: readonly string[]): void {
  report(FILE, [...lines, '', `Chromium ${browser.version()}. ${made}`], {
    ...{ quick: flags.quick, marks },
  });
}

async function travellerLines(): Promise<readonly string[]> {
  const server = await startServer(['--port', '0', '--worms', '0', '--deadline-ms', '6000'], {
    isBuilt: true,
  });
  const plans = plansOf(server, CARRIER_NAMES);
  const latency = (ms: number) => plans({ latency: { kind: 'fixed', ms } });
  try {
    // Bundles the assets, fills pools and compiles code.
    await opened(browser, server, { options: devices.desktop, isLink: true });
    // So slow that answers come when what follows an input is no longer excused.
    await latency(700);
    const looks: string[][] = [];
    for (const [name, options] of Object.entries({ ...devices })) {
      for (const isLink of [false, true]) {
        const all = [];
        for (let round = 0; round < rounds; round++) {
          all.push(await opened(browser, server, { options, isLink }));
        }
        looks.push([
          `${name}, ${isLink ? 'by a link' : 'from the empty page'}`,
          `${median(all.map(({ firstRowY }) => firstRowY)).toFixed(0)} px`,
          Math.max(...all.map(({ shift }) => shift)).toFixed(4),
          `${median(all.map(({ largestMs }) => largestMs)).toFixed(0)} ms`,
          String(median(all.map(({ longTasks }) => longTasks.length))),
          `${median(all.map(({ longTasks }) => Math.max(0, ...longTasks))).toFixed(0)} ms`,
        ]);
      }
    }
    await latency(50);
    const times: string[][] = [];
    for (const network of Object.keys(networks) as NetworkName[]) {
      const tries = { network, tries: rounds };
      const scripted = await firstRowMs(browser, server, { ...tries, hasScript: true });
      const plain = await firstRowMs(browser, server, { ...tries, hasScript: false });
      times.push([network, ...[scripted.row, plain.row, scripted.largest].map(ms)]);
    }
    const bytes = await bytesOf(browser, server, SEARCH);
    const ofOperator = await bytesOf(browser, server, '/operator');
    const faults = await violationsByState(browser, server, plans);
    return [
      ...table([
        ['screen', 'first journey at', 'worst shift (CLS)', 'LCP', 'long tasks', 'longest'],
        ...looks,
      ]),
      '',
      ...table([
        ['network, phone', 'first row, script', 'first row, no script', 'LCP, script'],
        ...times,
      ]),
      '',
      ...table([
        ['bytes as sent', 'HTML', 'CSS', 'script', 'these', 'later', 'font', 'icon'],
        ...Object.entries({ '`/`, results': bytes, '`/operator`': ofOperator }).map(
          ([name, { html = 0, css = 0, js = 0, later = 0, woff2 = 0, svg = 0 }]) => [
            ...[name, html, css, js, html + css + js, later, woff2, svg].map(String),
          ],
        ),
      ]),
      '',
      ...table(faults),
    ];
  } finally {
    await server.stop();
  }
}

async function operatorLines(): Promise<readonly string[]> {
  const cluster = (workers: string, each: string): readonly string[] => [
    ...['--accept', 'cluster', '--workers', workers],
    ...['--dispatch', 'fork', '--dispatch-workers', each],
  ];
  const systems: Readonly<Record<string, readonly string[]>> = {
    '`--accept single`': ['--accept', 'single'],
    '`cluster` 4, `fork` 4 each': cluster('4', '4'),
    '`cluster` 4, `fork` 16 each': cluster('4', '16'),
  };
  const rows: string[][] = [];
  for (const [name, argv] of Object.entries(systems)) {
    const length = { updates: flags.quick ? 3 : 20, seconds };
    rows.push([name, ...cellsOf(await operatorFigures(browser, argv, length))]);
  }
  return table([
    [
      ...['system', 'processes', 'view', 'elements', 'an update', 'script', 'style', 'layout'],
      ...['rest', 'server, no viewer', 'one viewer'],
    ],
    ...rows,
  ]) as string[];
}

function cellsOf(figures: OperatorFigures): string[] {
  const { processes, viewBytes, elements, parts, idleCpuMs, viewedCpuMs } = figures;
  const own = [parts.ScriptDuration, parts.RecalcStyleDuration, parts.LayoutDuration];
  const rest = own.reduce((left, each) => left - each, parts.TaskDuration);
  return [
    ...[String(processes), `${(viewBytes / 1000).toFixed(1)} kB`, String(elements)],
    ...[parts.TaskDuration, ...own, rest].map((each) => `${each.toFixed(1)} ms`),
    ...[idleCpuMs, viewedCpuMs].map((each) => `${each.toFixed(1)} ms/s`),
  ];
}

function ms(value: number): string {
  return `${value.toFixed(0)} ms`;
}
