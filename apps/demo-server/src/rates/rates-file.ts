import { readFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { FlagError } from '@ticketing/cli-kit';
import { convertPrices, type RateSource } from '@ticketing/core';

/** Milliseconds between two looks at the file: rates change once a day. */
const LOOK_MS = 60_000;

/** Exchange rates of a file that another program may replace at any time. */
export interface RatesFile {
  /** Returns the rates, `undefined` without a file, and looks for new ones in the background. Needs no `this`. */
  readonly current: () => RateSource | undefined;
  /** Reads the file if it has changed. What cannot be read, or is no rates, changes nothing: old rates say how old they are. */
  refresh(): Promise<void>;
}

/**
 * Opens a file of rates.
 *
 * @param now epoch ms
 * @throws FlagError if it cannot be read, or has no rates
 */
export function openRates(path: string | undefined, now: () => number): RatesFile {
  if (path === undefined) return { current: () => undefined, refresh: async () => {} };
  let rates = readRates(path);
  let lookedAt = now();
  let seen: string | undefined;
  async function refresh(): Promise<void> {
    try {
      const { mtimeMs, size } = await stat(path as string);
      const found = `${mtimeMs} ${size}`;
      if (found === seen) return;
      rates = ratesOf(await readFile(path as string, 'utf8'));
      seen = found;
    } catch {
      // The rates that are known stay: each answer has their date.
    }
  }
  return {
    current() {
      if (now() - lookedAt >= LOOK_MS) {
        lookedAt = now();
        void refresh();
      }
      return rates;
    },
    refresh,
  };
}

/**
 * Reads a file of rates.
 *
 * @throws FlagError if it cannot be read, or has no rates
 */
export function readRates(path: string): RateSource {
  try {
    return ratesOf(readFileSync(path, 'utf8'));
  } catch (error) {
    const { message } = error as Error;
    throw new FlagError(`Cannot start: --rates must be a file of exchange rates, got ${message}`);
  }
}

/** @throws SyntaxError or TypeError for text that is no rates */
function ratesOf(text: string): RateSource {
  const rates: RateSource = JSON.parse(text);
  convertPrices([], { rates });
  return rates;
}
