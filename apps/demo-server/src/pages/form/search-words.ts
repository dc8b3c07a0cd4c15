import type { FormValues } from './page-fields.ts';
import { partyOf, partyText } from './passengers.ts';

/** Knowledge that the words for a search need. */
export interface SearchNames {
  /** Returns the name of the place that somebody means: `uic:7171801` is Barcelona Sants. */
  placeOf(text: string): string;
  /** The day of a search without one, as `2026-12-01`. */
  readonly usualDay: string;
}

const SITE = 'Ticketing';

/** Returns the title of the page: with a search it is the route and the day. */
export function titleOf(values: FormValues, names: SearchNames): string {
  return isSearch(values)
    ? `${routeOf(values, names).join(' → ')}, ${dayText(dayOf(values, names))} · ${SITE}`
    : `Trains of many carriers, asked at once · ${SITE}`;
}

/** Returns what a search is, as a sentence for people who cannot see the page. */
export function headingOf(values: FormValues, names: SearchNames): string {
  return `${routeOf(values, names).join(' to ')}, ${longDayText(dayOf(values, names))}`;
}

/** Returns whether an address has a search. */
export function isSearch({ origin, destination }: FormValues): boolean {
  return Boolean(origin) || Boolean(destination);
}

/** Returns both ends by their names. */
export function routeOf(
  { origin = '', destination = '' }: FormValues,
  { placeOf }: SearchNames,
): readonly [string, string] {
  return [placeOf(origin) || '?', placeOf(destination) || '?'];
}

/** Returns when a search is and who travels: `Fri 27 Nov · 1 adult`. */
export function tripText(values: FormValues, names: SearchNames): string {
  return `${dayText(dayOf(values, names))} · ${partyText(partyOf(values))}`;
}

function dayOf({ date }: FormValues, { usualDay }: SearchNames): string {
  return date || usualDay;
}

/** Returns a day such as `Fri 27 Nov`; anything else as it is. */
export function dayText(day: string): string {
  return inWords(day, { weekday: 'short', day: 'numeric', month: 'short' });
}

/** Returns a day such as `Friday 27 November`. */
function longDayText(day: string): string {
  return inWords(day, { weekday: 'long', day: 'numeric', month: 'long' });
}

function inWords(day: string, options: Intl.DateTimeFormatOptions): string {
  const date = new Date(`${day}T00:00Z`);
  if (Number.isNaN(date.getTime())) return day;
  const format = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' });
  return format.format(date).replace(',', '');
}

const CLASSES: Readonly<Record<string, string>> = { second: 'Second class', first: 'First class' };

/** Chips of the form, each with what it is set to; `isOn`: to something. */
export function chipTexts(
  {
    time = '',
    arriveBy = '',
    class: travelClass = '',
    maxTransfers = '',
    split = '',
    via = '',
    stops = '',
    currency = '',
  }: FormValues,
  placeOf: SearchNames['placeOf'],
): Readonly<Record<ChipName, { readonly text: string; readonly isOn: boolean }>> {
  const chip = (text: string | undefined | false, none: string) => ({
    text: text || none,
    isOn: Boolean(text),
  });
  const by = arriveBy === '1' || arriveBy === 'true' ? 'Arrive by' : 'Leave after';
  const most =
    maxTransfers === '0'
      ? 'Direct only'
      : `At most ${maxTransfers} ${maxTransfers === '1' ? 'change' : 'changes'}`;
  const changes = [maxTransfers && most, isTicked(split) && 'two tickets'].filter(Boolean);
  const way = [via && `Via ${placeOf(via)}`, isTicked(stops) && 'stops'].filter(Boolean);
  return {
    time: chip(time && `${by} ${time}`, 'Any time'),
    class: chip(CLASSES[travelClass], 'Any class'),
    changes: chip(
      changes.length > 0 && (maxTransfers ? changes.join(', ') : 'With two tickets'),
      'Any changes',
    ),
    currency: chip(currency && `Prices in ${currency.toUpperCase()}`, 'Currency'),
    way: chip(way.length > 0 && (via ? way.join(', ') : 'With stops'), 'Via'),
  };
}

/** Returns whether a box of the form is ticked. */
export function isTicked(text = ''): boolean {
  return text === '1' || text === 'true';
}

export type ChipName = 'time' | 'class' | 'changes' | 'way' | 'currency';
