import type { Meter } from '@opentelemetry/api';
import type { CircuitMessage, NameMessage, Subscriptions } from '../channels.ts';
import { figures } from '../figures.ts';
import { instrument } from './instruments.ts';

/** Measures retries, hedges, pauses and circuits of guards. */
export function measureResilience(meter: Meter, subscriptions: Subscriptions): void {
  const RESILIENCE = 'ticketing:resilience';
  const retries = instrument(meter, figures.guardRetries);
  const hedges = instrument(meter, figures.guardHedges);
  const pauses = instrument(meter, figures.guardPauses);
  const opened = instrument(meter, figures.guardOpened);
  subscriptions.on<NameMessage>(`${RESILIENCE}:retry`, ({ name }) => retries(1, { name }));
  subscriptions.on<NameMessage>(`${RESILIENCE}:hedge`, ({ name }) => hedges(1, { name }));
  subscriptions.on<NameMessage>(`${RESILIENCE}:pause`, ({ name }) => pauses(1, { name }));
  subscriptions.on<CircuitMessage>(`${RESILIENCE}:circuit`, ({ name, state }) => {
    if (state === 'open') opened(1, { name });
  });
}
