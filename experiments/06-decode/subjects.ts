import type { Answering } from '../src/loading/prove-equal.ts';
import { type Carriers, startCarriers } from '../src/programs/start-carriers.ts';
import { startDemo } from '../src/programs/start-demo.ts';
import type { MeasureContext } from '../src/results/experiment.ts';
import { type Findings, HERE, OFFLOADS, subjectOf } from './findings.ts';

/** Megabytes of an answer that has the stops of its journeys and no more. */
export const SMALL = 0.016;

/** The demo in each way, and what they all ask. */
export interface Subjects {
  readonly demos: readonly Answering[];
  /** Has the carrier answer in so many megabytes from now on. */
  answerIn(megabytes: number): Promise<void>;
}

/** Starts the demo in this process and with each dispatcher, for one carrier of OJP that takes no time of its own. */
export async function startSubjects(
  { programs }: MeasureContext,
  { dispatches, workers }: Pick<Findings, 'dispatches' | 'workers'>,
): Promise<Subjects> {
  const carriers = await startCarriers(programs, { latencyMs: 0 });
  const ways = [
    { subject: HERE, flags: ['--dispatch', 'in-process'] },
    ...dispatches.flatMap((dispatch) =>
      OFFLOADS.map((offload) => ({
        subject: subjectOf(dispatch, offload),
        flags: [
          ...['--dispatch', dispatch, '--offload', offload],
          ...['--dispatch-workers', String(workers)],
        ],
      })),
    ),
  ];
  const demos = ways.map(async ({ subject, flags }) => {
    const { url } = await startDemo(programs, [
      ...[...flags, '--carriers', 'ojp', '--carriers-url', carriers.url, '--worms', '0'],
      // Every request is a search, and none is refused.
      ...['--coalesce', 'off', '--max-in-flight', 'off', '--deadline-ms', '60000'],
    ]);
    return { subject, url };
  });
  return {
    demos: await Promise.all(demos),
    answerIn: (megabytes) => answerIn(carriers, megabytes),
  };
}

async function answerIn(carriers: Carriers, megabytes: number): Promise<void> {
  const fault = megabytes > SMALL ? ({ kind: 'padding', megabytes } as const) : null;
  await carriers.plan('ojp', { fault });
}
