import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { oneChildPerCarrier } from '../01-one-child-per-carrier/experiment.ts';
import { cluster } from '../02-cluster/experiment.ts';
import { socket } from '../03-socket/experiment.ts';
import { batching } from '../04-batching/experiment.ts';
import { decode } from '../06-decode/experiment.ts';
import { chaos, type Findings, report as reportFaults } from '../chaos/report.ts';
import { machineLine } from '../src/results/circumstances.ts';
import type { Experiment, Report } from '../src/results/experiment.ts';
import { rowsOf, verdictLines } from '../src/results/overview.ts';
import { publishedResults, reportBody, reportLines } from '../src/results/publish.ts';
import { studies } from '../studies.ts';

test('reportLines() gives machine, command, verdicts, tables and charts', () => {
  const report: Report = {
    verdicts: [{ claim: 'it is so', measured: '2x', verdict: 'holds' }],
    lines: ['a table'],
    charts: { requests: { title: 'Requests', mark: 'bar', x: '', y: '', values: [] } },
  };
  const text = reportLines(report, {
    cores: 2,
    processor: 'P',
    memoryGiB: 8,
    platform: 'linux x64',
    node: 'v26.0.0',
    date: '2026-01-01',
    command: 'pnpm experiments 02',
    rounds: 5,
    loadAverages: [3.81, 20.22],
  }).join('\n');
  for (const part of [
    '2 cores, P',
    'v26.0.0',
    '2026-01-01',
    '`pnpm experiments 02`',
    'before it 3.81, after it 20.2',
    '**holds**',
    'a table',
    '![Requests](requests.svg)',
  ]) {
    expect(text).toContain(part);
  }
});

test('rowsOf() returns the verdicts of a study below a link from the page', () => {
  const root = mkdtempSync(join(tmpdir(), 'overview-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'studies/02'), { recursive: true });
  const all = { folder: pathToFileURL(`${root}/studies/`), to: '../studies/' };
  const folder = new URL('02/', all.folder);
  const study = { id: '02', folder, question: 'Why?' };
  const link = '[02](../studies/02/README.md) Why?';
  expect(rowsOf(study, all, () => true)).toEqual([[link, '', 'not measured yet', '']]);
  const verdicts = [
    { claim: 'a', measured: '1x', verdict: 'open' },
    { claim: 'b', measured: '2x', verdict: 'holds', main: true },
    { claim: 'c', measured: '3x', verdict: 'holds', main: true },
  ];
  writeFileSync(new URL('results.json', folder), JSON.stringify({ verdicts }));
  expect(rowsOf(study, all, ({ main = false }) => main)).toEqual([
    [link, 'b', '2x', '**holds**'],
    ['', 'c', '3x', '**holds**'],
  ]);
});

test.each([oneChildPerCarrier, cluster, socket, batching, decode] as const)(
  'the README of experiment $id has the tables of its results.json',
  (experiment) => {
    const { folder, report } = experiment as Experiment<never>;
    const results = publishedResults(folder);
    if (results === undefined) throw new Error('no results');
    const lines = reportLines(report(results.findings as never), results.circumstances);
    expect(readFileSync(new URL('README.md', folder), 'utf8')).toContain(lines.join('\n'));
  },
);

test('the README of the study of faults has the tables of its results.json', () => {
  const { circumstances, findings } = publishedResults(chaos.folder) ?? {};
  if (circumstances === undefined) throw new Error('no results');
  const lines = [machineLine(circumstances), '', ...reportBody(reportFaults(findings as Findings))];
  expect(readFileSync(new URL('README.md', chaos.folder), 'utf8')).toContain(lines.join('\n'));
});

test('the list of all verdicts, and the page of the main ones, are those of the results', () => {
  const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
  expect(read('README.md')).toContain(verdictLines(studies, '', () => true).join('\n'));
  const main = verdictLines(studies, '../experiments/', (verdict) => verdict.main ?? false);
  expect(read('../docs/studies.md')).toContain(main.join('\n'));
});
