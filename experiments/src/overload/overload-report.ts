import { percent, table, three } from '@ticketing/bench-kit';
import type { ChartSpec } from '../results/chart.ts';
import type { Circumstances } from '../results/circumstances.ts';
import type { OverloadRow } from './overload.ts';

/** Results of one run of `pnpm load --scenario overload`. Plain data. */
export interface OverloadResults {
  readonly circumstances: Circumstances;
  readonly rows: readonly OverloadRow[];
}

/** Formats one combination as a line of text. */
export function overloadLine(row: OverloadRow): string {
  const { question, rate, idleMs, floods } = row;
  const head = `${nameOf(row)} ${question}: ${three(rate)}/s, ${three(idleMs)} ms without load`;
  const lines = floods.map(
    (each) =>
      `  ${each.multiple}x  goodput ${percent(each.goodput / rate)}  p99 ${ms(each.p99Ms)}  ` +
      `refused ${percent(each.refused)} in ${ms(each.refusedP50Ms)}  unanswered ${percent(each.unanswered)}  ` +
      `last answer ${ms(each.lastMs)}  as before after ${ms(each.recoveryMs)}`,
  );
  return [head, ...lines].join('\n');
}

/** Formats the results as Markdown, one table per question. */
export function overloadReport(
  now: OverloadResults,
  before: OverloadResults | undefined,
): string[] {
  const questions = [...new Set(now.rows.map(({ question }) => question))];
  return [
    methodLine(now.circumstances),
    ...questions.flatMap((question) => [
      '',
      `### \`${question}\``,
      '',
      ...tableOf(ofQuestion(now, question), before && ofQuestion(before, question)),
    ]),
  ];
}

/** Charts goodput at each multiple, one panel per question. */
export function overloadChart(
  now: OverloadResults,
  before: OverloadResults | undefined,
): ChartSpec {
  const valuesOf = ({ rows }: OverloadResults, suffix: string) =>
    rows.flatMap((row) =>
      row.floods.map(({ multiple, goodput }) => ({
        x: multiple,
        y: (100 * goodput) / row.rate,
        series: nameOf(row),
        panel: `${row.question}${suffix}`,
      })),
    );
  return {
    title: 'Complete answers in time, in % of what is served to 32 clients that wait',
    mark: 'line',
    x: 'requests offered, in multiples of the rate that is served',
    y: '%',
    sharedScale: true,
    values: [
      ...(before === undefined ? [] : valuesOf(before, ', before')),
      ...valuesOf(now, before === undefined ? '' : ', now'),
    ],
  };
}

function methodLine({ cores, processor, node, date, command }: Circumstances): string {
  return (
    `${cores} cores, ${processor}, Node ${node}, ${date}, \`${command}\`. ` +
    'Server, carriers and load share the cores; the load goes before the others where it may.'
  );
}

function tableOf(
  rows: readonly OverloadRow[],
  before: readonly OverloadRow[] | undefined,
): string[] {
  const multiples = [
    ...new Set(rows.flatMap(({ floods }) => floods.map(({ multiple }) => multiple))),
  ];
  const goodput = (row: OverloadRow | undefined, multiple: number): string => {
    const found = row?.floods.find((each) => each.multiple === multiple);
    return row === undefined || found === undefined ? '-' : percent(found.goodput / row.rate);
  };
  const body = rows.map((row) => {
    const last = row.floods.at(-1);
    const worst = (of: (each: OverloadRow['floods'][number]) => number): number =>
      Math.max(...row.floods.map(of).filter((value) => !Number.isNaN(value)));
    const earlier = before?.find(
      ({ accept, dispatch }) => accept === row.accept && dispatch === row.dispatch,
    );
    return [
      nameOf(row),
      three(row.rate),
      ...multiples.map((multiple) =>
        before === undefined
          ? goodput(row, multiple)
          : `${goodput(earlier, multiple)} → ${goodput(row, multiple)}`,
      ),
      ms(worst((each) => each.p99Ms)),
      last === undefined ? '-' : `${percent(last.refused)} in ${ms(last.refusedP50Ms)}`,
      ms(worst((each) => each.recoveryMs)),
    ];
  });
  return table(
    [
      [
        '',
        '1x, /s',
        ...multiples.map((multiple) => `${multiple}x`),
        'p99 of 200s',
        `503 at ${multiples.at(-1)}x`,
        'as before after',
      ],
      ...body,
    ],
    1,
  );
}

function ofQuestion({ rows }: OverloadResults, question: string): OverloadRow[] {
  return rows.filter((row) => row.question === question);
}

function nameOf({ accept, dispatch }: OverloadRow): string {
  return `${accept}, ${dispatch}`;
}

function ms(value: number): string {
  return Number.isFinite(value) ? `${three(value)} ms` : '-';
}
