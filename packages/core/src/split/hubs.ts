import { type Rule, type Rules, required, resolveByRules, wrongOption } from '@ticketing/kit';
import type { Station, StationGroup } from '../stations/station-index.ts';
import { aHub, checkMinutes, minutesOf } from './combine-journeys.ts';

/** Most hubs of one search. */
const MAX_HUBS = 3;
const DEFAULT_MAX_MINUTES = 240;

/** Place where travellers change by themselves. */
export interface Hub {
  /** Station, or city whose stations are changed between. */
  readonly at: Station | StationGroup;
  /** Least minutes of a connection, 0 to 1,440: with the way between the stations of a city. */
  readonly minMinutes: number;
  /** Most minutes of a connection, `minMinutes` to 1,440. Default 240, or `minMinutes` if that is more. */
  readonly maxMinutes?: number | undefined;
}

/** A hub whose every field is there. */
export type ResolvedHub = Required<{
  readonly [Field in keyof Hub]: Exclude<Hub[Field], undefined>;
}>;

const someHubs: Rule = {
  expected: `a list of at most ${MAX_HUBS} hubs`,
  test: (value) => Array.isArray(value) && value.length <= MAX_HUBS,
};

function rulesOfHubs(): Rules {
  const { min, max } = minutesOf();
  return { at: required(aHub), minMinutes: required(min), maxMinutes: max };
}

/** Checks hubs, and fills their fields. @throws TypeError or RangeError */
export function resolveHubs(action: string, hubs: unknown): readonly ResolvedHub[] {
  if (!someHubs.test(hubs)) throw wrongOption(action, 'hubs', someHubs, hubs);
  const rules = rulesOfHubs();
  const ids = new Set<string>();
  return (hubs as readonly Hub[]).map((hub, index) => {
    const under = `hubs[${index}]`;
    const { at, minMinutes, maxMinutes } = resolveByRules<Hub>(action, hub, rules, under);
    if (ids.has(at.id)) throw new TypeError(`Cannot ${action}: \`hubs\` has \`${at.id}\` twice`);
    ids.add(at.id);
    const resolved = {
      at,
      minMinutes,
      maxMinutes: maxMinutes ?? Math.max(DEFAULT_MAX_MINUTES, minMinutes),
    };
    checkMinutes(action, resolved, `${under}.`);
    return resolved;
  });
}
