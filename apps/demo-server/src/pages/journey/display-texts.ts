import { currencyExponent, type Money, type Passenger } from '@ticketing/core';

const formats = new Map<string, Intl.NumberFormat>();

/** Writes an amount as a language does: `€43.85`, `43,85 €`. The server and the browser write the same. */
export function priceText({ amount, currency }: Money, lang = 'en'): string {
  const key = `${lang} ${currency}`;
  const format = formats.get(key) ?? new Intl.NumberFormat(lang, { style: 'currency', currency });
  formats.set(key, format);
  return format.format(amount / 10 ** currencyExponent(currency));
}

/** Formats minutes as `2 h 05`, less than an hour as `27 min`. */
export function durationText(minutes: number): string {
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')}`;
}

/** Counts things: `1 train`, `26 trains`. */
export function countText(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? `1 ${one}` : `${count} ${many}`;
}

/** Counts changes of trains. */
export function changesText(transfers: number): string {
  return transfers === 0 ? 'direct' : countText(transfers, 'change');
}

/** Returns the passengers in words: `2 adults, 1 child`. */
export function partyText(passengers: readonly Passenger[]): string {
  const children = passengers.filter(isChild).length;
  const adults = passengers.length - children;
  return [
    adults > 0 && countText(adults, 'adult'),
    children > 0 && countText(children, 'child', 'children'),
  ]
    .filter((part) => part !== false)
    .join(', ');
}

/** Returns whether a passenger is under age; one without an age is an adult. */
export function isChild({ age = 18 }: Passenger): boolean {
  return age < 18;
}

/** Joins names as a sentence does: `Renfe, Ouigo and Avlo`. */
export function listText(names: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(names);
}

/** Writes a day as `Fri 27 Nov`. */
export function dayText(day: string): string {
  return dayFormat.format(Date.parse(day)).replace(',', '');
}

const dayFormat = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});
