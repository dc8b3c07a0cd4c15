// `pnpm load --scenario stress|load|soak --rate 200 --duration 60 [--flags "…"]`: a load at a constant rate on the demo.
// `pnpm load --scenario overload [--accept …] [--dispatch …]`: more than it serves, in every way it accepts and dispatches.
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProgress, exitCodeOf, FlagError } from '@ticketing/cli-kit';
import { computeQuestion, measureOverload, searchQuestion } from './src/overload/overload.ts';
import { overloadFlags } from './src/overload/overload-flags.ts';
import {
  type OverloadResults,
  overloadChart,
  overloadLine,
  overloadReport,
} from './src/overload/overload-report.ts';
import { createPrograms, StartError } from './src/programs/programs.ts';
import { startCarriers } from './src/programs/start-carriers.ts';
import { startDemo } from './src/programs/start-demo.ts';
import { renderSvg } from './src/results/chart.ts';
import { circumstances, loadAverage } from './src/results/circumstances.ts';
import { createLiveBlock } from './src/scenarios/live-block.ts';
import { type LoadFlags, loadFlags } from './src/scenarios/load-flags.ts';
import { loadBlock, loadChart, loadCsv, loadLine, loadTable } from './src/scenarios/load-output.ts';
import { loadVerdict } from './src/scenarios/load-verdict.ts';
import { type LoadRow, runLoad } from './src/scenarios/run-load.ts';
import { scenarioOf } from './src/scenarios/scenario.ts';

const CALL_MS = 50;
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());

try {
  const argv = process.argv.slice(2);
  process.exitCode = isOverload(argv) ? await overload(argv) : await load(loadFlags(argv));
} catch (error) {
  // The demo says itself what is wrong with its flags.
  const isFlag = error instanceof StartError && error.exit === 2;
  const code = isFlag ? 2 : exitCodeOf(error);
  if (isFlag) console.error(error.said);
  else if (code === undefined) console.error(error);
  process.exitCode = code ?? 1;
}

function isOverload(argv: readonly string[]): boolean {
  const place = argv.indexOf('--scenario');
  return argv.includes('--scenario=overload') || (place >= 0 && argv[place + 1] === 'overload');
}

/** Gives the exit code: 1 if anything failed. */
async function load(flags: LoadFlags): Promise<number> {
  const { scenario: name, demoFlags, path } = flags;
  const scenario = scenarioOf(name, flags);
  const programs = createPrograms();
  try {
    // A process of their own for the carriers, unless the flags say how they are.
    const hasCarriers = demoFlags.some((flag) => /^--(carriers-url|latency)\b/.test(flag));
    const carriers = hasCarriers
      ? []
      : ['--carriers-url', (await startCarriers(programs, { latencyMs: CALL_MS })).url];
    const { url } = await startDemo(programs, [...demoFlags, ...carriers]);
    const isLive = process.stdout.isTTY && !flags.plain && !process.env['CI'];
    const show = (isLive ? showBlock : showLines)({
      title: `${name}: ${scenario.perSecond} requests per second for ${scenario.seconds} s at ${url}${path}`,
      seconds: scenario.seconds,
    });
    let rows: LoadRow[];
    try {
      rows = await runLoad({ ...scenario, url, path, signal: stop.signal, onRow: show.row });
    } finally {
      show.end();
    }
    if (stop.signal.aborted && rows.length === 0) return 130;
    const title = `${name}: ${scenario.perSecond} requests/s, ${demoFlags.join(' ') || 'no flags'}`;
    const folder = flags.out ?? mkdtempSync(join(tmpdir(), 'load-'));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${name}.csv`), loadCsv(rows));
    writeFileSync(join(folder, `${name}.svg`), await renderSvg(loadChart(rows, title)));
    const verdict = loadVerdict(rows);
    const end = [...loadTable(rows), '', ...verdict.lines, `written to ${folder}`];
    console.log(`\n${end.join('\n')}`);
    if (stop.signal.aborted) return 130;
    return verdict.errors === 0 ? 0 : 1;
  } finally {
    await programs.close();
  }
}

interface Shown {
  row(row: LoadRow): void;
  end(): void;
}

type Title = { readonly title: string; readonly seconds: number };

/** A line per second: for logs and pipes. */
function showLines({ title, seconds }: Title): Shown {
  console.log(title);
  return { row: (row) => console.log(loadLine(row, seconds)), end() {} };
}

/** A block that is drawn over. A signal ends the load, which ends the block; `exit` is for all other ends. */
function showBlock(title: Title): Shown {
  const block = createLiveBlock(process.stdout);
  const rows: LoadRow[] = [];
  const end = (): void => block.end();
  process.once('exit', end);
  block.draw(loadBlock(rows, title));
  return {
    row(row) {
      rows.push(row);
      block.draw(loadBlock(rows, title));
    },
    end() {
      end();
      process.off('exit', end);
    },
  };
}

/** Gives the exit code: 130 if it was stopped. */
async function overload(argv: readonly string[]): Promise<number> {
  const flags = overloadFlags(argv);
  const questions = { search: searchQuestion(Date.now()), compute: computeQuestion };
  const before = flags.before === undefined ? undefined : readResults(flags.before);
  const loadBefore = loadAverage();
  const progress = createProgress();
  progress.begin('overload', flags.combinations.length * flags.questions.length);
  const rows = await measureOverload({
    ...flags,
    questions: flags.questions.map((name) => questions[name]),
    signal: stop.signal,
    onRow(row) {
      progress.aside(() => console.log(overloadLine(row)));
      progress.step();
    },
  });
  progress.end();
  const command = ['pnpm load', ...argv].join(' ');
  const results: OverloadResults = {
    circumstances: circumstances(command, { rounds: 1, loadBefore }),
    rows,
  };
  const folder = flags.out ?? mkdtempSync(join(tmpdir(), 'load-'));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'overload.json'), `${JSON.stringify(results, null, 1)}\n`);
  writeFileSync(join(folder, 'overload.md'), `${overloadReport(results, before).join('\n')}\n`);
  writeFileSync(join(folder, 'overload.svg'), await renderSvg(overloadChart(results, before)));
  console.log(`written to ${folder}`);
  return stop.signal.aborted ? 130 : 0;
}

function readResults(path: string): OverloadResults {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new FlagError(
      `Cannot load: --before must be an overload.json. ${(error as Error).message}`,
    );
  }
}
