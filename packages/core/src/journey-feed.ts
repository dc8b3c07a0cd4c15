import type { Journey } from './journey.ts';
import { mergeJourneys } from './merge.ts';
import { type JourneyOrder, sortJourneys } from './order.ts';

/** What one more answer changes in the merged list. */
export interface JourneyChange {
  readonly journeys: readonly Journey[];
  readonly removed: readonly string[];
}

/** Merges answers as they come and tells the difference each one makes. */
export interface JourneyFeed {
  add(journeys: readonly Journey[]): JourneyChange;
  readonly found: number;
}

/** Creates a feed. Applying its changes in turn gives what merging everything at once gives. */
export function createJourneyFeed(order: JourneyOrder): JourneyFeed {
  const answers: Journey[] = [];
  let known = new Map<string, Journey>();
  return {
    add(journeys) {
      for (const journey of journeys) answers.push(journey);
      const merged = new Map(mergeJourneys(answers).map((journey) => [journey.id, journey]));
      const before = known;
      known = merged;
      return {
        journeys: sortJourneys(
          [...merged.values()].filter((journey) => !isSame(journey, before.get(journey.id))),
          order,
        ),
        removed: [...before.keys()].filter((id) => !merged.has(id)),
      };
    },
    get found() {
      return known.size;
    },
  };
}

/** Journeys of one carrier pass through a merge as they are; merged ones are new objects each time. */
function isSame(journey: Journey, before: Journey | undefined): boolean {
  if (journey === before) return true;
  return before !== undefined && JSON.stringify(journey) === JSON.stringify(before);
}
