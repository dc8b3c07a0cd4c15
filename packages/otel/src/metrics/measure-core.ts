import type { Meter } from '@opentelemetry/api';
import type {
  CarrierMessage,
  ScatterMessage,
  SearchMessage,
  SourceMessage,
  Subscriptions,
} from '../channels.ts';
import { figures } from '../figures.ts';
import { outcomeOfCall } from '../outcome-of-call.ts';
import { instrument } from './instruments.ts';

const MS_PER_S = 1000;

/** Measures searches and scatters. */
export function measureCore(meter: Meter, subscriptions: Subscriptions): void {
  const searches = instrument(meter, figures.search);
  const active = instrument(meter, figures.searchActive);
  const carriers = instrument(meter, figures.carrierDuration);
  subscriptions.during<SearchMessage>('ticketing:core:search', (change) => active(change, {}));
  subscriptions.on<SearchMessage>('tracing:ticketing:core:search:asyncEnd', (message) => {
    searches(1, { outcome: outcomeOfCall(message) });
  });
  subscriptions.on<CarrierMessage>('tracing:ticketing:core:carrier:asyncEnd', (message) => {
    const { carrier, status } = message;
    if (status === undefined) return;
    const { ms, state, error } = status;
    carriers(ms / MS_PER_S, { carrier, state }, error && { 'error.type': error.code });
  });
  measureScatters(meter, subscriptions);
}

function measureScatters(meter: Meter, subscriptions: Subscriptions): void {
  const calls = instrument(meter, figures.scatterCalls);
  const active = instrument(meter, figures.scatterActive);
  const sources = instrument(meter, figures.sourceDuration);
  subscriptions.during<ScatterMessage>('ticketing:core:scatter', (change, { scatter }) =>
    active(change, { name: scatter }),
  );
  subscriptions.on<ScatterMessage>('tracing:ticketing:core:scatter:asyncEnd', (message) => {
    calls(1, { name: message.scatter, outcome: outcomeOfCall(message) });
  });
  subscriptions.on<SourceMessage>('tracing:ticketing:core:source:asyncEnd', (message) => {
    const { scatter: name, source, status } = message;
    if (status === undefined) return;
    const { ms, state, error } = status;
    sources(ms / MS_PER_S, { name, source, state }, error && { 'error.type': error.code });
  });
}
