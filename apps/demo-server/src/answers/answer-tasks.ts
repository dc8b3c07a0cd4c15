import type { Dispatcher, TaskContext } from '@ticketing/dispatch';
import {
  type AnswerOf,
  type Ask,
  type AskOptions,
  perKind,
  type QuestionName,
  type QuestionOf,
  type Questions,
} from './kinds.ts';
import { retryOptions, TRANSIT_MS } from './remote-call.ts';

/** A question, and the milliseconds that are left for its answer. */
export interface Timed<Question> {
  readonly question: Question;
  readonly deadlineMs: number;
}

/** Answers one kind of question of another process. */
type AnswerTask<Name extends QuestionName> = (
  input: Timed<QuestionOf<Name>>,
  context: TaskContext,
) => Promise<AnswerOf<Name>>;

/** Tasks by which one process asks another: one for each question, of its name. */
export type AnswerTasks = { [Name in QuestionName]: AnswerTask<Name> };

/** Longer than any server waits. */
const MAX_DEADLINE_MS = 86_400_000;

/** Returns tasks that answer the questions of other processes. `answers` is called for each question. */
export function answerTasks(answers: () => Questions): AnswerTasks {
  const task =
    <Name extends QuestionName>(name: Name): AnswerTask<Name> =>
    ({ question, deadlineMs }, { signal }) => {
      if (!Number.isInteger(deadlineMs) || deadlineMs < 1 || deadlineMs > MAX_DEADLINE_MS) {
        throw new RangeError('`deadlineMs` of a question must be from 1 to a day, in milliseconds');
      }
      const ask: Ask<Name> = answers()[name];
      return ask(question, { signal, deadlineMs });
    };
  return perKind<AnswerTasks>(task);
}

/**
 * Asks another process, with one retry after a lost worker. A question with a key goes where the key belongs.
 *
 * @throws the error as it crossed: `restoredError` gives it its class
 */
export function askTask<Name extends QuestionName>(
  dispatcher: Pick<Dispatcher<AnswerTasks>, 'run'>,
  asked: {
    readonly name: Name;
    readonly question: QuestionOf<Name>;
    readonly options: AskOptions;
  },
): Promise<AnswerOf<Name>> {
  const { name, question, options } = asked;
  const { signal, deadlineMs, key } = options;
  const input: Timed<unknown> = { question, deadlineMs };
  const call = { key, signal, timeoutMs: deadlineMs + TRANSIT_MS, ...retryOptions };
  return dispatcher.run(name, input as never, call) as Promise<AnswerOf<Name>>;
}
