import { readFileSync, writeFileSync } from 'node:fs';
import { betweenMarks, table } from '@ticketing/bench-kit';
import { type Experiment, judgementLegend, type Verdict } from './experiment.ts';
import { publishedResults } from './publish.ts';

type Study = Pick<Experiment<never>, 'id' | 'folder' | 'question'>;

const HEAD = ['', 'claim', 'measured', 'verdict'];
const HERE = new URL('../../', import.meta.url);

/** Page with verdicts. */
interface Page {
  readonly file: URL;
  /** Path from the page to the folder of the studies. */
  readonly to: string;
}

/** Writes every published verdict into the README of `experiments/`, and the main ones into `docs/studies.md`. */
export function publishOverview(experiments: readonly Study[]): void {
  writeVerdicts(experiments, { file: new URL('README.md', HERE), to: '' }, () => true);
  const summary = { file: new URL('../docs/studies.md', HERE), to: '../experiments/' };
  writeVerdicts(experiments, summary, ({ main = false }) => main);
}

function writeVerdicts(
  experiments: readonly Study[],
  { file, to }: Page,
  shows: (verdict: Verdict) => boolean,
): void {
  const lines = verdictLines(experiments, to, shows);
  writeFileSync(file, betweenMarks(readFileSync(file, 'utf8'), { name: 'verdicts', lines }));
}

/** Returns the lines of the table of verdicts; `to` is the path from its page to the folder of the studies. */
export function verdictLines(
  experiments: readonly Study[],
  to: string,
  shows: (verdict: Verdict) => boolean,
): readonly string[] {
  const rows = experiments.flatMap((study) => rowsOf(study, { folder: HERE, to }, shows));
  return [...table([HEAD, ...rows], HEAD.length), '', judgementLegend()];
}

/** Returns the verdicts of a study as table rows, with links from a page: `to` is its path to `all`, the folder of all studies. */
export function rowsOf(
  { id, folder, question }: Study,
  all: { readonly folder: URL; readonly to: string },
  shows: (verdict: Verdict) => boolean,
): string[][] {
  const path = `${all.to}${folder.pathname.slice(all.folder.pathname.length)}README.md`;
  const link = `[${id}](${path}) ${question}`;
  const results = publishedResults(folder);
  if (results === undefined) return [[link, '', 'not measured yet', '']];
  return results.verdicts
    .filter(shows)
    .map(({ claim, measured, verdict }, index) => [
      index === 0 ? link : '',
      claim,
      measured,
      `**${verdict}**`,
    ]);
}
