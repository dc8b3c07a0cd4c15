import type { CalendarEvent, CalendarResult, RoundTripResult, SearchEvent } from '@ticketing/core';
import type { CalendarAsked } from '../search/more-days/calendar-question.ts';
import type { RoundTripAsked } from '../search/more-days/round-trip-question.ts';
import type { DocumentQuestion } from '../search/search-query.ts';
import type { AnswersStats } from './answers-stats.ts';
import type { AskOptions, Questions } from './kinds.ts';

/** Answers every question. Links that each take one and return one make a chain, from the client's process to the search. */
export interface Answers extends Questions {
  /** A search as its events. Leaving them ends it. A wrong question is thrown at once, or by the first `next()`. */
  events(
    question: DocumentQuestion,
    options: Omit<AskOptions, 'signal'>,
  ): AsyncIterableIterator<SearchEvent>;
  /** Days of a month, with what this process keeps of them. */
  calendar(asked: CalendarAsked, options: Omit<AskOptions, 'key'>): Promise<CalendarResult>;
  /** Streams a calendar as events. Leaving the loop ends it. */
  calendarEvents(
    asked: CalendarAsked,
    options: Omit<AskOptions, 'signal' | 'key'>,
  ): AsyncIterableIterator<CalendarEvent>;
  /** Both ways of a round trip. */
  roundTrip(asked: RoundTripAsked, options: Omit<AskOptions, 'key'>): Promise<RoundTripResult>;
  /** Returns whether a question of this key would join one in flight. */
  has(key: string): boolean;
  stats(): AnswersStats;
  /** Closes this link and the ones behind it. */
  close(): Promise<void>;
}
