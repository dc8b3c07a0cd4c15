import type { RunCarrier, Search } from '@ticketing/core';
import type { Dispatcher } from '@ticketing/dispatch';
import { farRetryOptions, retryOptions } from '../answers/remote-call.ts';
import type { CarrierName, Carriers, CarrierTasks } from '../carriers/carriers.ts';
import { composedSearch } from '../carriers/composed-search.ts';
import type { Flags } from '../flags/flag-specs.ts';

interface DispatchedSearchOptions {
  readonly flags: Pick<Flags, 'carriers' | 'deadlineMs' | 'offload'>;
  readonly carriers: Carriers;
  /** Epoch ms. */
  readonly now: () => number;
  /** Gets the milliseconds that a carrier took to answer, or had taken when its search was aborted. */
  readonly onEnd?: (carrier: string, ms: number) => void;
}

/** Creates a search that asks all carriers through a dispatcher. */
export function dispatchedSearch(
  dispatcher: Dispatcher<CarrierTasks>,
  { flags, carriers, now, onEnd }: DispatchedSearchOptions,
): Search {
  const run =
    flags.offload === 'normalise' ? runNormalise(dispatcher, now) : runWhole(dispatcher, now);
  return composedSearch(carriers, {
    names: flags.carriers,
    deadlineMs: flags.deadlineMs,
    run,
    now,
    ...(onEnd && { onEnd }),
  });
}

/** The dispatcher asks the carrier and decodes its bytes. It refuses a call that cannot begin before the deadline. */
function runWhole(dispatcher: Dispatcher<CarrierTasks>, now: () => number): RunCarrier {
  // Hosts have clocks of their own.
  const isFar = dispatcher.kind === 'nats';
  return ({ id }, query, { signal, deadline }) =>
    dispatcher.run(
      'askCarrier',
      { carrier: id as CarrierName, query, ...(!isFar && { deadline }) },
      { signal, timeoutMs: leftMs(deadline, now), ...(isFar ? farRetryOptions : retryOptions) },
    );
}

/** Asks the carrier in this process, and decodes its bytes by the dispatcher. */
function runNormalise(dispatcher: Dispatcher<CarrierTasks>, now: () => number): RunCarrier {
  return async ({ id, request }, query, context) => {
    const wire = await request(query, context);
    const { signal, deadline } = context;
    // Buffers that were moved are lost with the worker: such a call cannot be retried.
    const again = dispatcher.kind === 'nats' ? farRetryOptions : retryOptions;
    const retry = dispatcher.capabilities.transfer ? { transfer: buffersOf(wire) } : again;
    return dispatcher.run(
      'normalise',
      { carrier: id as CarrierName, query, wire },
      { signal, timeoutMs: leftMs(deadline, now), ...retry },
    );
  };
}

function leftMs(deadline: number, now: () => number): number {
  return Math.max(1, deadline - now());
}

/** Buffers that hold one body of the wire, however deep, and nothing else. */
function buffersOf(wire: unknown): ArrayBuffer[] {
  if (typeof wire !== 'object' || wire === null) return [];
  if (!(wire instanceof Uint8Array)) return Object.values(wire).flatMap(buffersOf);
  const { buffer, byteLength } = wire;
  return buffer instanceof ArrayBuffer && byteLength === buffer.byteLength ? [buffer] : [];
}
