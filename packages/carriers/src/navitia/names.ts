import type { RideLeg } from '@ticketing/core';
import { shownText } from '../wire/shown-text.ts';
import type { WireRecord } from '../wire/wire-reader.ts';

type Mode = RideLeg['mode'] | 'train';

/** Modes by the ids of physical modes, which are a closed list; any other is `other`. */
const modes: ReadonlyMap<string, Mode> = new Map<string, Mode>([
  ...['LocalTrain', 'LongDistanceTrain', 'RapidTransit', 'Train', 'RailShuttle'].map(
    (name): [string, Mode] => [name, 'train'],
  ),
  ...['Bus', 'BusRapidTransit', 'Coach', 'Trolleybus'].map((name): [string, Mode] => [name, 'bus']),
  ['Tramway', 'tram'],
  ['Metro', 'metro'],
  ['Boat', 'ferry'],
  ['Ferry', 'ferry'],
]);

/** Modes by words in the texts that people read, in French as regions write them, where an answer has no id. */
const modeWords: readonly (readonly [pattern: RegExp, mode: Mode])[] = [
  [/tramway|\btram\b/i, 'tram'],
  [/m[ée]tro/i, 'metro'],
  [/train|\brer\b|\btgv\b|\bter\b/i, 'train'],
  [/bus|\b(?:auto)?car\b|coach/i, 'bus'],
  [/ferry|bateau|boat/i, 'ferry'],
];

const PHYSICAL_MODE = 'physical_mode:';
const NUMBER = /^0*(\d{1,6})$/;

/**
 * Returns mode, number and brand of a ride. The number of a train is its short name or its headsign, which are also words and missions:
 * `MOCA`, `IJEL13`. A line that people know by a code has it behind the brand: `RER B`.
 */
export function namesOf(
  section: WireRecord,
  links: readonly WireRecord[],
): Pick<RideLeg, 'mode' | 'number' | 'brand' | 'operator'> {
  const shown = Object(section['display_informations']) as WireRecord;
  const mode = modeOf(shown, links);
  const number = mode === 'train' ? numberOf(shown) : undefined;
  const code =
    shownText(shown['code']) ?? (mode === 'train' ? undefined : shownText(shown['label']));
  const category = shownText(shown['commercial_mode']) ?? shownText(shown['physical_mode']);
  const hasCode = code !== undefined && code !== number && code !== category;
  const brand = [category, hasCode ? code : undefined].filter(Boolean).join(' ');
  const operator = shownText(shown['network']);
  return {
    ...(mode !== 'train' && { mode: mode ?? 'other' }),
    ...(number !== undefined && { number }),
    ...(brand !== '' && { brand }),
    ...(operator !== undefined && { operator }),
  };
}

function modeOf(shown: WireRecord, links: readonly WireRecord[]): Mode {
  const link = links.find(({ type }) => type === 'physical_mode');
  const id = shownText(link?.['id']);
  if (id?.startsWith(PHYSICAL_MODE)) return modes.get(id.slice(PHYSICAL_MODE.length)) ?? 'other';
  const text = [shown['physical_mode'], shown['commercial_mode']]
    .map((one) => shownText(one))
    .filter(Boolean)
    .join(' ');
  return modeWords.find(([pattern]) => pattern.test(text))?.[1] ?? 'other';
}

function numberOf(shown: WireRecord): string | undefined {
  for (const field of ['trip_short_name', 'headsign'] as const) {
    const value = shown[field];
    const [, number] = (typeof value === 'string' && NUMBER.exec(value.trim())) || [];
    if (number !== undefined) return number;
  }
  return undefined;
}
