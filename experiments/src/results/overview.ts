import { readFileSync, writeFileSync } from 'node:fs';
import { betweenMarks, table } from '@ticketing/bench-kit';
import { type Experiment, judgementLegend, type Verdict } from './experiment.ts';
import { publishedResults } from './publish.ts';

type Study = Pick<Experiment<never>, 'id' | 'folder' | 'question'>;

const HEAD = ['', 'claim', 'measured', 'verdict'];
const HERE = new URL('../../', import.meta.url);
const FRONT_PAGE = new URL('../', HERE);

/** Writes every published verdict into the README of `experiments/`, and the main ones into the front page. */
export function publishOverview(experiments: readonly Study[]): void {
  writeVerdicts(experiments, HERE, () => true);
  writeVerdicts(experiments, FRONT_PAGE, ({ main = false }) => main);
}

function writeVerdicts(
  experiments: readonly Study[],
  folder: URL,
  shows: (verdict: Verdict) => boolean,
): void {
  const readme = new URL('README.md', folder);
  const rows = experiments.flatMap((study) => rowsOf(study, folder, shows));
  const lines = [...table([HEAD, ...rows], HEAD.length), '', judgementLegend()];
  writeFileSync(readme, betweenMarks(readFileSync(readme, 'utf8'), { name: 'verdicts', lines }));
}

/** The verdicts of a study as table rows, with links relative to `from`. */
export function rowsOf(
  { id, folder, question }: Study,
  from: URL,
  shows: (verdict: Verdict) => boolean,
): string[][] {
  const link = `[${id}](${folder.pathname.slice(from.pathname.length)}README.md) ${question}`;
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
