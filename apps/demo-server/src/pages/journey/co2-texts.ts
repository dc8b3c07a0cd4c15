import type { Journey } from '@ticketing/core';

/** Returns the emissions of a journey for its line: `3.1 kg CO₂`, an estimate with `≈`; `undefined` without a figure. */
export function co2Text({ co2 }: Journey): string | undefined {
  if (co2 === undefined) return undefined;
  const kilograms = co2.grams / 1000;
  const digits = kilograms < 10 ? 1 : 0;
  return `${co2.estimated ? '≈ ' : ''}${kilograms.toFixed(digits)} kg CO₂`;
}

/** Returns a sentence on the emissions of a journey, and how they are known. */
export function co2Sentence(journey: Journey): string | undefined {
  const text = co2Text(journey);
  if (text === undefined) return undefined;
  return journey.co2?.estimated
    ? `${text} for each passenger, estimated by distance and kind of vehicle.`
    : `${text} for each passenger, as the carriers report it.`;
}
