import type { ChaosEvent, Ending } from './event.ts';

/** Formats an event as one line. */
export function eventLine(event: ChaosEvent): string {
  const seconds = (event.atMs / 1000).toFixed(3).padStart(9);
  return `${seconds}  ${event.kind.padEnd(11)} ${detailsOf(event)}`;
}

function detailsOf(event: ChaosEvent): string {
  switch (event.kind) {
    case 'sent':
      return `${event.id} ${event.route} ${event.client} ${event.target}`;
    case 'ended':
      return `${event.id} ${endingText(event.ending)}`;
    case 'fault-began':
      return [event.fault, event.name, event.part, event.carrier].filter(isGiven).join(' ');
    case 'fault-hit':
      return `${event.fault} ${event.detail}`;
    default: {
      const { atMs: _atMs, kind: _kind, ...rest } = event;
      return JSON.stringify(rest);
    }
  }
}

function endingText(ending: Ending): string {
  if (ending.how !== 'answered') return Object.values(ending).filter(isGiven).join(' ');
  const { status, worker = '?', wrong, search } = ending;
  const facts =
    search &&
    [
      search.complete ? 'complete' : `without ${search.missing.join()}`,
      search.stream,
      search.otherQuestion,
      search.ageMs > 0 ? `${search.ageMs} ms old` : undefined,
      ...search.differences.slice(0, 3).map(({ carrier, kind }) => `${carrier} ${kind}`),
    ]
      .filter(isGiven)
      .join(', ');
  return [`${status} by ${worker}`, facts, wrong?.slice(0, 100)].filter(isGiven).join(' ');
}

function isGiven<T>(value: T | undefined): value is T {
  return value !== undefined;
}
