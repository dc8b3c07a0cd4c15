import { startLoader } from './loading/loader.ts';
import { createPrograms } from './programs/programs.ts';
import { circumstances } from './results/circumstances.ts';
import type { Experiment } from './results/experiment.ts';
import { lookFolder } from './results/output-folder.ts';
import { publish } from './results/publish.ts';
import { createProgress, type Progress } from './rounds/progress.ts';

export interface RunOptions {
  readonly quick: boolean;
  readonly databaseUrl: string | undefined;
  /** What was typed, for the report. */
  readonly command: string;
  readonly progress?: Progress;
  /** When it aborts, everything is ended, and the run rejects. */
  readonly signal?: AbortSignal;
}

const ROUNDS = 5;
const QUICK_ROUNDS = 2;

/** Measures an experiment and publishes it; a look goes to a folder of its own. Gives that folder and the report. */
export async function runExperiment<Findings>(
  experiment: Experiment<Findings>,
  options: RunOptions,
): Promise<{ readonly folder: URL; readonly lines: readonly string[] }> {
  const { quick, databaseUrl, command, progress = createProgress(), signal } = options;
  const rounds = quick ? QUICK_ROUNDS : ROUNDS;
  const programs = createPrograms();
  const loader = startLoader();
  const close = async (): Promise<void> => {
    await loader.close();
    await programs.close();
  };
  // What is ended meanwhile makes the measurement fail, which ends it.
  const leave = (): void => void loader.close();
  signal?.addEventListener('abort', leave, { once: true });
  try {
    const given = { programs, loader, progress, quick, rounds, databaseUrl };
    const findings = await experiment.measure(given);
    progress.end();
    const { folder: own } = experiment;
    const folder = quick ? lookFolder(experiment.id, new URL('README.md', own)) : own;
    const publication = { circumstances: circumstances(command, rounds), findings, folder };
    return { folder, lines: await publish(experiment.report(findings), publication) };
  } finally {
    signal?.removeEventListener('abort', leave);
    await close();
  }
}
