import { type Attributes, trace } from '@opentelemetry/api';
import type {
  CircuitMessage,
  GuardRetryMessage,
  HedgeMessage,
  NameMessage,
  PauseMessage,
} from '../channels.ts';
import { errorType } from '../error-type.ts';
import type { SpanOptions } from './open-spans.ts';

/** Adds what guards do to the span in which the guarded call is made: a guard has no spans of its own, and costs none. */
export function traceResilience({ active, subscriptions }: SpanOptions): void {
  const RESILIENCE = 'ticketing:resilience';
  function addEvents<M extends NameMessage>(
    what: string,
    attributesOf: (message: M) => Attributes,
  ): void {
    subscriptions.on<M>(`${RESILIENCE}:${what}`, (message) => {
      const span = trace.getSpan(active.current());
      if (span?.isRecording() !== true) return;
      const attributes = { 'ticketing.guard.name': message.name, ...attributesOf(message) };
      span.addEvent(`ticketing.guard.${what}`, attributes);
    });
  }
  addEvents<GuardRetryMessage>('retry', ({ attempt, delayMs, error }) => ({
    'ticketing.guard.attempt': attempt,
    'ticketing.guard.delay_ms': delayMs,
    'error.type': errorType(error),
  }));
  addEvents<HedgeMessage>('hedge', ({ attempt, afterMs }) => ({
    'ticketing.guard.attempt': attempt,
    'ticketing.guard.after_ms': afterMs,
  }));
  addEvents<CircuitMessage>('circuit', ({ state, openMs }) => ({
    'ticketing.guard.circuit.state': state,
    ...(openMs !== undefined && { 'ticketing.guard.open_ms': openMs }),
  }));
  addEvents<PauseMessage>('pause', ({ pauseMs }) => ({
    'ticketing.guard.pause_ms': pauseMs,
  }));
}
