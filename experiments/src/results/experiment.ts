import type { Loader } from '../loading/loader.ts';
import type { Programs } from '../programs/programs.ts';
import type { Progress } from '../rounds/progress.ts';
import type { ChartSpec } from './chart.ts';

/** A study that is measured and reported. `Findings` is plain data, kept in `results.json`. */
export interface Experiment<Findings> {
  /** Two digits. */
  readonly id: string;
  readonly folder: URL;
  readonly question: string;
  /** Starts what is to be measured, proves equal answers, and measures. */
  measure(given: Given): Promise<Findings>;
  /** Says what the findings are; from them alone. */
  report(findings: Findings): Report;
}

/** What an experiment is given. What it starts by `programs` is ended for it. */
export interface Given {
  readonly programs: Programs;
  readonly loader: Loader;
  readonly progress: Progress;
  /** A look: fewer settings, two short rounds. */
  readonly quick: boolean;
  readonly rounds: number;
  /** Address of a PostgreSQL server, if there is one. */
  readonly databaseUrl: string | undefined;
}

/** What is written of an experiment. */
export interface Report {
  readonly verdicts: readonly Verdict[];
  /** Markdown below the verdicts. */
  readonly lines: readonly string[];
  /** File name without ending → chart. */
  readonly charts: Readonly<Record<string, ChartSpec>>;
}

/** What a study claims, what was measured here, and whether that bears it out. */
export interface Verdict {
  readonly claim: string;
  readonly measured: string;
  readonly verdict: Judgement;
  /** Whether the repository's first page shows it. Default: only the overview of the experiments does. */
  readonly main?: boolean;
}

/** `open`: what was measured allows no judgement. */
export type Judgement = 'holds' | 'does not hold' | 'holds in part' | 'open';
