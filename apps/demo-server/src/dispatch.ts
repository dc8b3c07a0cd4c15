import type { RunCarrier } from '@ticketing/core';
import { createInProcessDispatcher, type Dispatcher } from '@ticketing/dispatch';
import {
  type CarrierSettings,
  type Carriers,
  type CarrierTasks,
  carrierTasks,
} from './carriers.ts';
import type { CarrierName, DispatchName, Flags } from './flags.ts';

/** Where carriers' work can run. */
export interface DispatchGiven {
  readonly flags: Flags;
  readonly settings: CarrierSettings;
  readonly carriers: Carriers;
}

type CarrierDispatcher = Dispatcher<CarrierTasks>;

const dispatchers: Record<DispatchName, (given: DispatchGiven) => Promise<CarrierDispatcher>> = {
  'in-process': async ({ carriers }) =>
    createInProcessDispatcher(carrierTasks(carriers, async () => {})),
  fork: async (given) => {
    const { createForkDispatcher } = await import('@ticketing/dispatch-fork');
    return createForkDispatcher<CarrierTasks>(tasksUrl(), workerOptions(given));
  },
  piscina: async (given) => {
    const { createPiscinaDispatcher } = await import('@ticketing/dispatch-piscina');
    return createPiscinaDispatcher<CarrierTasks>(tasksUrl(), workerOptions(given));
  },
};

/** Starts the dispatcher that the flags name, and waits until it takes tasks. */
export async function startDispatcher(given: DispatchGiven): Promise<CarrierDispatcher> {
  const dispatcher = await dispatchers[given.flags.dispatch](given);
  try {
    await dispatcher.ready();
    return dispatcher;
  } catch (error) {
    await dispatcher.close();
    throw error;
  }
}

/** Has a dispatcher run a carrier's work: the whole of it, or what needs no sockets. */
export function runBy(dispatcher: CarrierDispatcher, offload: Flags['offload']): RunCarrier {
  // A search only reads, so it may run again when its worker is lost.
  const again = { idempotent: true, retries: 1 };
  if (offload === 'whole') {
    return ({ id }, query, { signal, deadline }) =>
      dispatcher.run(
        'search',
        { carrier: id as CarrierName, query, deadline },
        { signal, ...again },
      );
  }
  return async ({ id, request }, query, context) => {
    const wire = await request(query, context);
    const { signal } = context;
    // Buffers that were moved are gone when the worker is: then there is nothing to try again with.
    const how = dispatcher.capabilities.transfer ? { transfer: buffersOf(wire) } : again;
    return dispatcher.run(
      'normalise',
      { carrier: id as CarrierName, query, wire },
      { signal, ...how },
    );
  };
}

function workerOptions({ flags, settings }: DispatchGiven) {
  return {
    max: flags.dispatchWorkers,
    env: { ...process.env, DEMO_TASK_SETTINGS: JSON.stringify(settings) },
  };
}

/** The module stands beside this one, as source and as built. */
function tasksUrl(): URL {
  return new URL(`./tasks${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
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
