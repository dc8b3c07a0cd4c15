import { copyFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createProgress, type Progress } from '@ticketing/cli-kit';
import { startLoader } from './loading/loader.ts';
import { createPrograms } from './programs/programs.ts';
import { circumstances, loadAverage } from './results/circumstances.ts';
import type { Experiment } from './results/experiment.ts';
import { publish, publishedResults } from './results/publish.ts';

export interface RunOptions {
  readonly quick: boolean;
  readonly databaseUrl: string | undefined;
  /** The command line, for the report. */
  readonly command: string;
  readonly progress?: Progress;
  /** Signal that stops all programs, and rejects the run. */
  readonly signal?: AbortSignal;
}

const ROUNDS = 5;
const QUICK_ROUNDS = 2;

/** Measures an experiment and publishes it, with `quick` to a temporary folder. Returns the folder and the report. */
export async function runExperiment<Findings>(
  experiment: Experiment<Findings>,
  options: RunOptions,
): Promise<{ readonly folder: URL; readonly lines: readonly string[] }> {
  const { quick, databaseUrl, command, progress = createProgress(), signal } = options;
  const loadBefore = loadAverage();
  const rounds = quick ? QUICK_ROUNDS : ROUNDS;
  const programs = createPrograms();
  const loader = startLoader();
  const close = async (): Promise<void> => {
    await loader.close();
    await programs.close();
  };
  // A measurement fails without its loader, and so ends.
  const leave = (): void => void loader.close();
  signal?.addEventListener('abort', leave, { once: true });
  try {
    const findings = await experiment.measure({
      programs,
      loader,
      progress,
      quick,
      rounds,
      databaseUrl,
    });
    progress.end();
    const { folder: own } = experiment;
    const folder = quick ? temporaryFolder(experiment.id, new URL('README.md', own)) : own;
    const publication = {
      circumstances: circumstances(command, { rounds, loadBefore }),
      findings,
      folder,
    };
    return { folder, lines: await publish(experiment.report(findings), publication) };
  } finally {
    signal?.removeEventListener('abort', leave);
    await close();
  }
}

/** Publishes the stored findings of an experiment again, after a change of its report. */
export async function reportAgain<Findings>(experiment: Experiment<Findings>): Promise<void> {
  const results = publishedResults(experiment.folder);
  if (results === undefined) throw new Error(`Cannot report ${experiment.id}: not measured yet`);
  const { circumstances, findings } = results;
  const report = experiment.report(findings as Findings);
  await publish(report, { circumstances, findings, folder: experiment.folder });
}

/** Makes a temporary folder with a copy of the README, so that a quick run leaves the published results alone. */
function temporaryFolder(name: string, readme: URL): URL {
  const path = join(tmpdir(), 'experiments-quick', name);
  mkdirSync(path, { recursive: true });
  copyFileSync(readme, join(path, 'README.md'));
  return pathToFileURL(`${path}/`);
}
