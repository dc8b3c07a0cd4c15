import type { Dispatcher } from '@ticketing/dispatch';
import type { AnswerTasks } from '../answers/answer-tasks.ts';
import type { Answers } from '../answers/answers.ts';
import { byOwner } from '../answers/by-owner.ts';
import { elsewhere } from '../answers/elsewhere.ts';
import { shared, sharedQuestions } from '../answers/shared.ts';
import { sharedByRedis } from '../answers/shared-by-redis.ts';
import type { Flags } from '../flags/flag-specs.ts';

interface ChainDependencies {
  /** Answers in this process, or in its workers. */
  readonly own: Answers;
  /** The primary, in a server process of several: it is the member of a fleet, and shares what the processes of a machine ask. */
  readonly primary: Dispatcher<AnswerTasks> | undefined;
}

/** Picks the links that answer the clients of a process, by `--coalesce`. */
export async function answerChain(
  flags: Flags,
  { own, primary }: ChainDependencies,
): Promise<Answers> {
  switch (flags.coalesce) {
    case 'off':
      return own;
    case 'on':
      return shared(own);
    case 'shared':
      return sharedByRedis(own, flags);
    case 'machine':
      return shared(primary ? elsewhere(own, primary) : own);
    case 'fleet':
      return shared(primary ? elsewhere(own, primary) : await byOwner(sharedQuestions(own), flags));
  }
}
