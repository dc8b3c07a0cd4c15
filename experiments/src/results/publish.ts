import { readFileSync, writeFileSync } from 'node:fs';
import { betweenMarks, table } from '@ticketing/bench-kit';
import { renderSvg } from './chart.ts';
import { type Circumstances, circumstancesLine } from './circumstances.ts';
import { judgementLegend, type Report, type Verdict } from './experiment.ts';

/** Contents of `results.json`. */
export interface Results {
  readonly circumstances: Circumstances;
  readonly verdicts: readonly Verdict[];
  readonly findings: unknown;
}

const RESULTS = 'results.json';

/** Values to publish, and the folder for them. The folder's README must have the marks. */
export interface Publication {
  readonly circumstances: Circumstances;
  readonly findings: unknown;
  readonly folder: URL;
}

/** Writes `results.json`, the charts, and the tables between the marks of the README. Returns those lines. */
export async function publish(report: Report, publication: Publication): Promise<string[]> {
  const { circumstances, findings, folder } = publication;
  const results: Results = { circumstances, verdicts: report.verdicts, findings };
  writeFileSync(new URL(RESULTS, folder), `${JSON.stringify(results, null, 1)}\n`);
  for (const [name, chart] of Object.entries(report.charts)) {
    writeFileSync(new URL(`${name}.svg`, folder), await renderSvg(chart));
  }
  const lines = reportLines(report, circumstances);
  const readme = new URL('README.md', folder);
  const text = readFileSync(readme, 'utf8');
  writeFileSync(readme, betweenMarks(text, { name: 'results', lines }));
  return lines;
}

/** Returns the published results, or `undefined` before the first publication. */
export function publishedResults(folder: URL): Results | undefined {
  try {
    return JSON.parse(readFileSync(new URL(RESULTS, folder), 'utf8'));
  } catch {
    return undefined;
  }
}

/** Formats verdicts, tables and charts as Markdown. */
export function reportLines(report: Report, circumstances: Circumstances): string[] {
  return [circumstancesLine(circumstances), '', ...reportBody(report)];
}

/** Formats verdicts, tables and charts, without their circumstances. */
export function reportBody({ verdicts, lines, charts }: Report): string[] {
  return [
    ...verdictTable(verdicts),
    '',
    judgementLegend(),
    '',
    ...lines,
    '',
    ...Object.entries(charts).map(([name, { title }]) => `![${title}](${name}.svg)`),
  ];
}

function verdictTable(verdicts: readonly Verdict[]): string[] {
  return table(
    [
      ['claim', 'measured', 'verdict'],
      ...verdicts.map(({ claim, measured, verdict }) => [claim, measured, `**${verdict}**`]),
    ],
    3,
  );
}
