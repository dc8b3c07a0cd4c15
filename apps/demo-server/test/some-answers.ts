import type { Answers } from '../src/answers/answers.ts';

/** Answers that a test gives; nobody is to ask for the others. */
export function someAnswers(given: Partial<Answers>): Answers {
  const none = (): never => {
    throw new Error('No test asks for this');
  };
  return {
    document: none,
    worms: none,
    events: none,
    has: () => false,
    stats: () => ({}) as never,
    close: async () => {},
    ...given,
  };
}
