import type { RunCarrier } from '@ticketing/core';
import type { Dispatcher } from '@ticketing/dispatch';
import type { Offload } from '../flags/flag-specs.ts';
import { retryOptions } from '../questions.ts';
import type { CarrierName, CarrierTasks } from './carriers.ts';

/**
 * Has a dispatcher run a carrier's work: the whole of it, or what needs no sockets. It is told what is left of the deadline, and
 * refuses what it could not even begin until then. `now`: epoch ms.
 */
export function dispatchedCarrier(
  dispatcher: Dispatcher<CarrierTasks>,
  options: {
    readonly offload: Offload;
    readonly now: () => number;
    /** Is told how long a carrier took to answer, or had not answered when it was given up. */
    readonly onEnd: (carrier: string, ms: number) => void;
  },
): RunCarrier {
  const run = runOf(dispatcher, options);
  return async (carrier, query, context) => {
    const startedAt = performance.now();
    const end = (): void => options.onEnd(carrier.id, performance.now() - startedAt);
    try {
      const answer = await run(carrier, query, context);
      end();
      return answer;
    } catch (error) {
      // One that failed says nothing of how long it takes.
      if (context.signal.aborted) end();
      throw error;
    }
  };
}

function runOf(
  dispatcher: Dispatcher<CarrierTasks>,
  { offload, now }: { readonly offload: Offload; readonly now: () => number },
): RunCarrier {
  const leftMs = (deadline: number): number => Math.max(1, deadline - now());
  if (offload === 'whole') {
    return ({ id }, query, { signal, deadline }) =>
      dispatcher.run(
        'askCarrier',
        { carrier: id as CarrierName, query, deadline },
        { signal, timeoutMs: leftMs(deadline), ...retryOptions },
      );
  }
  return async ({ id, request }, query, context) => {
    const wire = await request(query, context);
    const { signal, deadline } = context;
    // Buffers that were moved are gone when the worker is: then there is nothing to try again with.
    const how = dispatcher.capabilities.transfer ? { transfer: buffersOf(wire) } : retryOptions;
    return dispatcher.run(
      'normalise',
      { carrier: id as CarrierName, query, wire },
      { signal, timeoutMs: leftMs(deadline), ...how },
    );
  };
}

/** Buffers that hold nothing but a body of the wire's. */
function buffersOf(wire: unknown): ArrayBuffer[] {
  return Object.values(Object(wire)).flatMap((body) =>
    body instanceof Uint8Array &&
    body.buffer instanceof ArrayBuffer &&
    body.byteLength === body.buffer.byteLength
      ? [body.buffer]
      : [],
  );
}
