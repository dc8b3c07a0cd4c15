import type { Dispatcher } from '@ticketing/dispatch';
import { placeKey } from '../search/document-key.ts';
import { type AnswerTasks, askTask } from './answer-tasks.ts';
import type { Answers } from './answers.ts';
import { everyQuestion, kinds } from './kinds.ts';
import { rejectRestored } from './restored-error.ts';

/**
 * Answers in another process: in the primary, or for the primary in a server process. Events come from `own`. `isKeyed`: equal questions
 * go to one process, which may have kept what they need.
 */
export function elsewhere(
  own: Answers,
  dispatcher: Dispatcher<AnswerTasks>,
  { isKeyed = false }: { readonly isKeyed?: boolean } = {},
): Answers {
  const questions = everyQuestion((name) => (question, { signal, deadlineMs, key: known }) => {
    const key = isKeyed ? placeKey(known ?? kinds[name].keyOf(question)) : undefined;
    return askTask(dispatcher, { name, question, options: { signal, deadlineMs, key } }).catch(
      rejectRestored,
    );
  });
  return { ...own, ...questions };
}
