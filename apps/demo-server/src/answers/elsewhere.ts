import type { Dispatcher } from '@ticketing/dispatch';
import { type AnswerTasks, askTask } from './answer-tasks.ts';
import type { Answers } from './answers.ts';
import { everyQuestion } from './kinds.ts';
import { rejectRestored } from './restored-error.ts';

/** Answers in another process: in the primary, or for the primary in a server process. Events come from `own`. */
export function elsewhere(own: Answers, dispatcher: Dispatcher<AnswerTasks>): Answers {
  const questions = everyQuestion(
    (name) =>
      (question, { signal, deadlineMs }) =>
        askTask(dispatcher, { name, question, options: { signal, deadlineMs } }).catch(
          rejectRestored,
        ),
  );
  return { ...questions, events: own.events, has: own.has, stats: own.stats, close: own.close };
}
