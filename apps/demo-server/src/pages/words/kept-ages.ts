import type { CarrierStatus } from '@ticketing/core';
import { listText } from '../journey/display-texts.ts';
import { type Names, nameOf } from '../journey/names.ts';
import { counted } from './amounts.ts';

/** Age from which travellers read it above the list. */
const OLD_MS = 60_000;

/** Returns an age in words: `a moment`, `20 seconds`, `3 minutes`. Rounded down, like the time of day. */
function ageText(ageMs: number): string {
  const seconds = Math.floor(ageMs / 1000);
  if (seconds < 10) return 'a moment';
  return seconds < 60 ? counted(seconds, 'second') : counted(Math.floor(seconds / 60), 'minute');
}

/** Returns a sentence about a kept answer in the list of carriers; `undefined` of any other. */
export function keptText({ ageMs, cache, error }: CarrierStatus): string | undefined {
  if (ageMs === undefined || cache === undefined) return undefined;
  const rest =
    cache === 'fresh' ? '' : error ? ', and it did not answer since' : ', and it is asked again';
  return `Its answer is of ${ageText(ageMs)} ago${rest}.`;
}

/** True for a carrier whose whole answer is shown, though it did not answer when it was asked again. */
export function isOldAnswer({ state, cache, error }: CarrierStatus): boolean {
  return state === 'ok' && cache === 'stale' && error !== undefined;
}

/** Returns a line about prices that are old; `undefined` if none are. */
export function oldPrices(
  carriers: readonly CarrierStatus[],
  names: Names,
): { readonly title: string; readonly text?: string } | undefined {
  const old = carriers.filter(
    ({ state, ageMs = 0, cache }) => state === 'ok' && cache !== undefined && ageMs >= OLD_MS,
  );
  if (old.length === 0) return undefined;
  const oldest = Math.max(...old.map(({ ageMs = 0 }) => ageMs));
  const title = `Prices as of ${ageText(oldest)} ago.`;
  const silent = old.filter(isOldAnswer);
  if (silent.length === 0) return { title };
  const who = listText(silent.map(({ carrier }) => nameOf(names.carriers, carrier)));
  return { title, text: `${who} did not answer since.` };
}
