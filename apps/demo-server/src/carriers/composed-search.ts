import {
  CarrierError,
  createSearch,
  type KnownAnswer,
  type RunCarrier,
  type Search,
} from '@ticketing/core';
import type { CarrierName, Carriers } from './carriers.ts';

interface ComposedSearchOptions {
  /** Carriers that are asked by default. Default: all. */
  readonly names?: readonly CarrierName[];
  readonly deadlineMs?: number;
  /** Asks a carrier. Default: in this process. */
  readonly run?: RunCarrier;
  /** Gets the milliseconds that an attempt took to answer, or had taken when its search was aborted. Refusals of a guard are none. */
  readonly onEnd?: (carrier: string, ms: number) => void;
  /** Epoch ms. Default: the platform's clock. */
  readonly now?: () => number;
}

/**
 * Creates the search of a process. What decides whether a carrier is asked is around `run`, in the process that searches, so that it
 * knows of every question of that process, wherever the carrier is asked: kept answers, and within them a guard per carrier.
 */
export function composedSearch(
  carriers: Carriers,
  {
    names = Object.keys(carriers.byName) as CarrierName[],
    run = runHere,
    onEnd,
    ...options
  }: ComposedSearchOptions = {},
): Search {
  const asked = onEnd === undefined ? run : timed(run, onEnd);
  return createSearch({
    ...options,
    carriers: names.map((name) => carriers.byName[name]),
    http: carriers.http.clientOf,
    rates: carriers.rates.current,
    run: carriers.kept.around(carriers.guards.around(asked)),
    known: knownOr(carriers.kept.known),
  });
}

/** A carrier that has no code for a station does not serve it: no question is sent. */
function knownOr(kept: KnownAnswer): KnownAnswer {
  return (carrier, query) => {
    const system = carrier.capabilities?.stationSystem ?? carrier.id;
    const other = [query.origin, query.destination].find(
      ({ codes }) => !Object.hasOwn(codes, system),
    );
    if (other === undefined) return kept(carrier, query);
    throw new CarrierError('NOT_SERVED', `Carrier \`${carrier.id}\` has no code for ${other.name}`);
  };
}

const runHere: RunCarrier = async (carrier, query, context) =>
  carrier.normalise(await carrier.request(query, context), query);

function timed(run: RunCarrier, onEnd: (carrier: string, ms: number) => void): RunCarrier {
  return async (carrier, query, context) => {
    const startedAt = performance.now();
    const end = (): void => onEnd(carrier.id, performance.now() - startedAt);
    try {
      const answer = await run(carrier, query, context);
      end();
      return answer;
    } catch (error) {
      // The time of a failure does not show how long the carrier takes.
      if (context.signal.aborted) end();
      throw error;
    }
  };
}
