import type { ValueReader } from '@ticketing/cli-kit';
import { CARRIER_NAMES, type CarrierName, carrierKinds } from '../carriers/carriers.ts';
import type { CarrierRate } from '../guard/guard-settings.ts';

/** Rates by carrier; one without a rate has no bound. */
export type Rates = Readonly<Partial<Record<CarrierName, CarrierRate>>>;

/** Rates that the public servers of these carriers bear. The others have theirs by contract. docs/decisions/0047 has the sources. */
const publicRates: Rates = {
  renfe: { perSecond: 0.1, burst: 5 },
  hafas: { perSecond: 5, burst: 5 },
};

const MAX_PER_SECOND = 10_000;
const MAX_BURST = 10_000;

/** Reads `off`, `public`, or pairs such as `renfe=0.1:5`: a carrier, its questions per second, and its questions at once. */
export const rates: ValueReader<Rates> = {
  expected: 'off, public, or carrier=perSecond:burst with commas, such as renfe=0.1:5,hafas=5:10',
  words: ['off', 'public'],
  read(text) {
    if (text === 'off') return {};
    if (text === 'public') return publicRates;
    const pairs = text.split(',').map(readRate);
    const names = new Set(pairs.map((pair) => pair?.[0]));
    const isSound = names.size === pairs.length && !names.has(undefined);
    return isSound ? Object.fromEntries(pairs as [CarrierName, CarrierRate][]) : undefined;
  },
};

function readRate(text: string): readonly [CarrierName, CarrierRate] | undefined {
  const [, known, rate, most] = /^(\w+)=(\d{1,5}(?:\.\d{1,6})?):(\d{1,5})$/.exec(text) ?? [];
  const name = CARRIER_NAMES.find((one) => one === known);
  const [perSecond, burst] = [Number(rate), Number(most)];
  const inRange = perSecond > 0 && perSecond <= MAX_PER_SECOND && burst >= 1 && burst <= MAX_BURST;
  return name !== undefined && inRange ? [name, { perSecond, burst }] : undefined;
}

export function showRates(value: Rates): string {
  const pairs = Object.entries(value).map(
    ([name, { perSecond, burst }]) => `${name}=${perSecond}:${burst}`,
  );
  return pairs.join(',') || 'off';
}

/** Reads `off`, names, or `all`: every carrier but those whose question is a session of several calls. */
export const hedged: ValueReader<readonly CarrierName[]> = {
  expected: `off, all, or some of ${CARRIER_NAMES.join(',')}`,
  words: ['off', 'all', ...CARRIER_NAMES],
  read(text) {
    if (text === 'off') return [];
    if (text === 'all')
      return CARRIER_NAMES.filter(
        (name) => !(carrierKinds[name].isSession || carrierKinds[name].isLocal),
      );
    const wanted = text.split(',');
    const known = CARRIER_NAMES.filter((name) => wanted.includes(name));
    return known.length === wanted.length ? known : undefined;
  },
};

export function showHedged(value: readonly CarrierName[]): string {
  return value.join(',') || 'off';
}
