import type { Search } from '@ticketing/core';
import type { Dispatcher } from '@ticketing/dispatch';
import type { AnswerTasks } from '../answers/answer-tasks.ts';
import type { Answers } from '../answers/answers.ts';
import { byOwner } from '../answers/by-owner.ts';
import { elsewhere } from '../answers/elsewhere.ts';
import { here } from '../answers/here.ts';
import { inWorkers, type SearchTasks } from '../answers/in-workers.ts';
import { shared, sharedQuestions } from '../answers/shared.ts';
import { sharedByRedis } from '../answers/shared-by-redis.ts';
import type { Flags } from '../flags/flag-specs.ts';
import type { KeptAnswers } from '../kept/kept-answers.ts';
import type { WormStore } from '../worms/worm-store.ts';

interface ChainDependencies {
  /** Answers of carriers that the process keeps. */
  readonly kept: KeptAnswers;
  /** Epoch ms. */
  readonly now: () => number;
  readonly search: Search;
  readonly store: WormStore;
  /** Workers that run whole searches, if there are any. */
  readonly searches: Dispatcher<SearchTasks> | undefined;
  /** Gets the milliseconds that a carrier took to answer a worker. */
  readonly onEnd: (carrier: string, ms: number) => void;
  /** The primary, in a server process of several: it is the member of a fleet, and shares what the processes of a machine ask. */
  readonly primary: Dispatcher<AnswerTasks> | undefined;
}

/** Picks the links that answer in a process: `own` for other processes, `answers` for its clients. */
export async function answerChain(
  flags: Flags,
  { search, store, searches, onEnd, primary, kept, now }: ChainDependencies,
): Promise<{ readonly own: Answers; readonly answers: Answers }> {
  const inProcess = here(search, store, flags.calendarDays);
  const own =
    flags.offload === 'search' && searches !== undefined
      ? inWorkers(inProcess, { dispatcher: searches, carriers: flags.carriers, onEnd })
      : inProcess;
  switch (flags.coalesce) {
    case 'off':
      return { own, answers: own };
    case 'shared':
      return { own, answers: await sharedByRedis(own, { flags, kept, now }) };
    case 'on':
      return { own, answers: shared(own) };
    case 'machine':
      return { own, answers: shared(primary ? elsewhere(own, primary) : own) };
    case 'fleet': {
      const owners = primary ? elsewhere(own, primary) : byOwner(sharedQuestions(own), flags);
      return { own, answers: shared(await owners) };
    }
  }
}
