import type { Answers } from '../src/answers/answers.ts';
import { everyQuestion } from '../src/answers/kinds.ts';

/** Answers that a test gives; nobody is to ask for the others. */
export function someAnswers(given: Partial<Answers>): Answers {
  const none = (): never => {
    throw new Error('No test asks for this');
  };
  return {
    ...everyQuestion(() => none),
    events: none,
    calendar: none,
    calendarEvents: none,
    roundTrip: none,
    has: () => false,
    stats: () => ({}) as never,
    close: async () => {},
    ...given,
  };
}
