import type { SearchEvent } from '@ticketing/core';
import type { SearchAnswerEvent } from './search-answer.ts';

const texts = new WeakMap<SearchAnswerEvent | SearchEvent, string>();

/** Returns an event as JSON, made once for all clients that follow a search. An event never changes. */
export function textOf(event: SearchAnswerEvent): string {
  const known = texts.get(event);
  if (known !== undefined) return known;
  const text = JSON.stringify(event);
  texts.set(event, text);
  return text;
}

/** Returns the event that another process wrote as JSON, which is the text of it here, too. */
export function eventOf(bytes: Buffer): SearchEvent {
  const text = bytes.toString();
  const event = JSON.parse(text) as SearchEvent;
  texts.set(event, text);
  return event;
}
