import {
  type Coordinator,
  type SharedCodec,
  type SharedLoader,
  shareLoads,
} from '@ticketing/batching/shared';
import type { CarrierQuestion } from './carrier-load.ts';
import { type CarrierRecord, freshLeft } from './carrier-record.ts';
import type { KeptAnswers } from './kept-answers.ts';

interface ShareOptions {
  readonly coordinator: Coordinator;
  /** Name of the records in the engine: servers that share it ask the same carriers. */
  readonly name: string;
  readonly leaseMs: number;
  readonly codec: SharedCodec<CarrierRecord>;
  /** Epoch ms. */
  readonly now: () => number;
}

/**
 * Lets servers share what they load, and keeps it in the engine for as long as it is fresh: a record has the time of its answer. A server
 * that does not reach the engine asks the carriers itself. Returns the shared loads; `undefined` if nothing is kept.
 */
export function shareRecords(
  kept: KeptAnswers,
  options: ShareOptions,
): Pick<SharedLoader<CarrierQuestion, CarrierRecord>, 'stats'> | undefined {
  const { coordinator, name, leaseMs, codec, now } = options;
  let shared: SharedLoader<CarrierQuestion, CarrierRecord> | undefined;
  kept.shareBy((load, keep) => {
    const loader = shareLoads(load, {
      coordinator,
      name,
      leaseMs,
      codec,
      key: ({ id }: CarrierQuestion) => id,
      ttlMs: (record) => freshLeft(record, keep, now()),
      // Each process renews what it has, when it is asked for it.
      refresh: 0,
    });
    shared = loader;
    return async (question, context) => {
      // Without the engine there is nothing to forget, and the carrier is asked in any case.
      if (question.anew) await loader.forget(question).catch(() => {});
      return loader(question, context);
    };
  });
  return shared;
}
