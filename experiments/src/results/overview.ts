import { readFileSync, writeFileSync } from 'node:fs';
import type { Experiment } from './experiment.ts';
import { betweenMarks } from './marks.ts';
import { publishedResults } from './publish.ts';
import { table } from './table.ts';

type Study = Pick<Experiment<never>, 'id' | 'folder' | 'question'>;

/** Writes the verdicts of all experiments, as published, into the README of this folder. */
export function publishOverview(experiments: readonly Study[]): void {
  const readme = new URL('../../README.md', import.meta.url);
  const lines = table([['', 'claim', 'measured', 'verdict'], ...experiments.flatMap(rowsOf)], 4);
  const text = readFileSync(readme, 'utf8');
  writeFileSync(readme, betweenMarks(text, { name: 'verdicts', lines }));
}

function rowsOf({ id, folder, question }: Study): string[][] {
  const name = folder.pathname.split('/').at(-2) ?? id;
  const link = `[${id}](${name}/README.md) ${question}`;
  const results = publishedResults(folder);
  if (results === undefined) return [[link, '', 'not measured yet', '']];
  return results.verdicts.map(({ claim, measured, verdict }, place) => [
    place === 0 ? link : '',
    claim,
    measured,
    `**${verdict}**`,
  ]);
}
