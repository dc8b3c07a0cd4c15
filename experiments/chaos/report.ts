import { table } from '@ticketing/bench-kit';
import type { Report, Verdict } from '../src/results/experiment.ts';
import type { FaultName } from './faults/fault.ts';
import { FAULT_NAMES } from './faults/fault.ts';
import type { Grade } from './invariants/grade.ts';
import { INVARIANTS } from './invariants/invariants.ts';
import { RECOVERY_MS } from './invariants/request-invariants.ts';
import { SETUPS } from './setups.ts';
import type { Summary } from './summary.ts';

/** Measurements, stored in `results.json`. */
export interface Findings {
  /** Minutes with faults of each run. */
  readonly minutes: number;
  readonly perSecond: number;
  readonly runs: readonly Summary[];
}

/** Columns of the table, and the grades that each one counts. */
const COLUMNS: readonly (readonly [title: string, grades: readonly Grade[]])[] = [
  ['good', ['good']],
  ['partial', ['partial']],
  ['refused', ['refused']],
  ['no carrier', ['failed']],
  ['lost', ['cut']],
  ['left', ['left']],
  ['hung', ['hung', 'open']],
  ['wrong', ['wrong']],
];

const MEGABYTE = 2 ** 20;

/** Returns verdicts and tables of some runs. */
export function report({ runs, minutes, perSecond }: Findings): Report {
  const names = SETUPS.map(({ name }) => name).filter((name) =>
    runs.some(({ setup }) => setup === name),
  );
  const seeds = [...new Set(runs.map(({ seed }) => seed))];
  return {
    verdicts: INVARIANTS.map(({ id, claim }) => verdictOf(id, claim, runs)),
    lines: [
      `${names.length} set-ups, ${seeds.length === 1 ? 'seed' : 'seeds'} ${seeds.join(', ')}: ${minutes} minutes with faults each, ${perSecond} requests a second.`,
      '',
      ...requestTable(names, runs),
      '',
      'Lost: the connection ended with the process that had the request. No carrier: 502 or 504, all carriers failed or were late. Again: sent a',
      'second time by the client, because its kept connection had ended. Without a core: seconds for which processes of the demo were ready to run',
      'and the machine had no core for them. Recovery: from the end of the faults to the last answer that was not good, one that lacks only a',
      'carrier whose pause is honoured among them. Doubtful: breaches of times while the machine had no time for anybody.',
      '',
      ...faultTable(names, runs),
    ],
    charts: {},
  };
}

function verdictOf(id: string, claim: string, runs: readonly Summary[]): Verdict {
  const count = total(runs, ({ violations }) => violations[id] ?? 0);
  const broken = runs.filter(({ violations }) => (violations[id] ?? 0) > 0);
  const where = broken.map(({ setup, seed }) => `${setup} (seed ${seed})`).join(', ');
  const requests = total(runs, (run) => run.requests);
  return {
    claim,
    measured:
      count === 0
        ? `never broken: ${runs.length} runs, ${requests} requests`
        : `${count} breaches in ${broken.length} of ${runs.length} runs: ${where}`,
    verdict:
      count === 0 ? 'holds' : broken.length < runs.length / 4 ? 'holds in part' : 'does not hold',
    main: MAIN.includes(id),
  };
}

/** Verdicts that `docs/studies.md` shows. */
const MAIN = ['ends-in-time', 'no-connection-refused', 'complete-is-true', 'good-after-faults'];

function requestTable(names: readonly string[], runs: readonly Summary[]): string[] {
  const head = ['set-up', 'requests', ...COLUMNS.map(([title]) => title)];
  const more = [
    'again',
    'faults',
    'recovery, ms',
    'memory, MB',
    'left',
    'without a core, s',
    'doubtful',
  ];
  const row = (title: string, own: readonly Summary[]): string[] => [
    title,
    String(total(own, ({ requests }) => requests)),
    ...COLUMNS.map(([, grades]) =>
      String(total(own, (run) => grades.reduce((sum, grade) => sum + (run.grades[grade] ?? 0), 0))),
    ),
    String(total(own, ({ sentAgain }) => sentAgain)),
    String(total(own, ({ faults }) => sum(Object.values(faults)))),
    String(Math.round(Math.max(...own.map(({ recoveryMs }) => recoveryMs)))),
    range(own.map(({ memory: [before, after] }) => (after - before) / MEGABYTE)),
    String(total(own, ({ left }) => left)),
    String(Math.round(total(own, ({ starvedMs }) => starvedMs) / 1000)),
    String(total(own, ({ doubtful }) => doubtful)),
  ];
  const own = (name: string): Summary[] => runs.filter(({ setup }) => setup === name);
  return table([
    [...head, ...more],
    ...names.map((name) => row(name, own(name))),
    row('all', runs),
  ]);
}

function faultTable(names: readonly string[], runs: readonly Summary[]): string[] {
  const present = FAULT_NAMES.filter((name) => runs.some(({ faults }) => faults[name]));
  const cell = (setup: string, fault: FaultName): string =>
    String(
      total(
        runs.filter((run) => run.setup === setup),
        ({ faults }) => faults[fault] ?? 0,
      ),
    );
  return table([
    ['faults', ...present],
    ...names.map((name) => [name, ...present.map((fault) => cell(name, fault))]),
  ]);
}

function range(values: readonly number[]): string {
  const text = (value: number): string => `${value < 0 ? '' : '+'}${Math.round(value)}`;
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return values.length === 1 ? text(least) : `${text(least)} to ${text(most)}`;
}

function total(runs: readonly Summary[], pick: (run: Summary) => number): number {
  return sum(runs.map(pick));
}

function sum(values: readonly number[]): number {
  return values.reduce((one, other) => one + other, 0);
}

/** Study as the overview of all shows it. */
export const chaos = {
  id: '07',
  folder: new URL('./', import.meta.url),
  question: `Does the composed whole keep its promises while its parts are killed, and is it well again in ${RECOVERY_MS / 1000} s?`,
};
