import type { Progress } from '@ticketing/cli-kit';
import type { Loader } from '../loading/loader.ts';
import type { Programs } from '../programs/programs.ts';
import type { ChartSpec } from './chart.ts';

/** A study. `Findings` is plain data, stored in `results.json`. */
export interface Experiment<Findings> {
  /** Two digits. */
  readonly id: string;
  readonly folder: URL;
  readonly question: string;
  /** Starts the programs, proves that their answers are equal, and measures. */
  measure(context: MeasureContext): Promise<Findings>;
  /** Derives verdicts, tables and charts from the findings alone. */
  report(findings: Findings): Report;
}

/** Means by which an experiment measures. Programs that it starts by `programs` are stopped for it. */
export interface MeasureContext {
  readonly programs: Programs;
  readonly loader: Loader;
  readonly progress: Progress;
  /** Fewer settings, two short rounds. */
  readonly quick: boolean;
  readonly rounds: number;
  /** Address of a PostgreSQL server, if there is one. */
  readonly databaseUrl: string | undefined;
}

/** Published part of an experiment. */
export interface Report {
  readonly verdicts: readonly Verdict[];
  /** Markdown below the verdicts. */
  readonly lines: readonly string[];
  /** File name without ending → chart. */
  readonly charts: Readonly<Record<string, ChartSpec>>;
}

/** Claim of a study, its measurement here, and whether the two agree. */
export interface Verdict {
  readonly claim: string;
  readonly measured: string;
  readonly verdict: Judgement;
  /** True if `docs/studies.md` shows the verdict, too. Default: false. */
  readonly main?: boolean;
}

/** Meaning of each verdict. */
export const JUDGEMENTS = {
  holds: 'the measurements agree with the claim',
  'holds in part': 'right in direction or in some cases, not in size or in all cases',
  'does not hold': 'the measurements contradict the claim',
  open: 'the rounds contradict each other',
} as const;

export type Judgement = keyof typeof JUDGEMENTS;

/** One line that explains the verdicts, for below a table of them. */
export function judgementLegend(): string {
  const entries = Object.entries(JUDGEMENTS).map(([word, meaning]) => `**${word}**: ${meaning}`);
  return `Verdicts: ${entries.join('; ')}.`;
}
