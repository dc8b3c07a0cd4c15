import type { Meter } from '@opentelemetry/api';
import type {
  BatchMessage,
  CoordinatorMessage,
  JoinMessage,
  LeadMessage,
  LoadMessage,
  NameMessage,
  SharedMessage,
  StreamMessage,
  Subscriptions,
} from '../channels.ts';
import { figures } from '../figures.ts';
import { instrument } from './instruments.ts';

/** Measures coalescers, streams, batchers and shared loads. */
export function measureBatching(meter: Meter, subscriptions: Subscriptions): void {
  measureLoads(meter, subscriptions);
  measureStreams(meter, subscriptions);
  measureBatches(meter, subscriptions);
  measureShared(meter, subscriptions);
}

function measureLoads(meter: Meter, subscriptions: Subscriptions): void {
  const calls = instrument(meter, figures.coalescerCalls);
  const loads = instrument(meter, figures.coalescerLoads);
  const active = instrument(meter, figures.coalescerActive);
  subscriptions.during<LoadMessage>('ticketing:batching:load', (change, { name }) =>
    active(change, { name }),
  );
  subscriptions.on<LoadMessage>('tracing:ticketing:batching:load:start', ({ name, cause }) => {
    loads(1, { name });
    if (cause === 'call') calls(1, { name, outcome: 'led' });
  });
  subscriptions.on<JoinMessage>('ticketing:batching:join', ({ name }) =>
    calls(1, { name, outcome: 'joined' }),
  );
  subscriptions.on<NameMessage>('ticketing:batching:hit', ({ name }) =>
    calls(1, { name, outcome: 'hit' }),
  );
  subscriptions.on<NameMessage>('ticketing:batching:overflow', ({ name }) =>
    calls(1, { name, outcome: 'overflowed' }),
  );
}

function measureStreams(meter: Meter, subscriptions: Subscriptions): void {
  const calls = instrument(meter, figures.streamCalls);
  const active = instrument(meter, figures.streamActive);
  const items = instrument(meter, figures.streamItems);
  subscriptions.during<StreamMessage>('ticketing:batching:stream', (change, { name }) =>
    active(change, { name }),
  );
  subscriptions.on<StreamMessage>('tracing:ticketing:batching:stream:start', ({ name }) =>
    calls(1, { name, outcome: 'opened' }),
  );
  subscriptions.on<StreamMessage>('tracing:ticketing:batching:stream:asyncEnd', (message) =>
    items(message.items ?? 0, { name: message.name }),
  );
  subscriptions.on<NameMessage>('ticketing:batching:stream-join', ({ name }) =>
    calls(1, { name, outcome: 'joined' }),
  );
  subscriptions.on<NameMessage>('ticketing:batching:stream-overflow', ({ name }) =>
    calls(1, { name, outcome: 'overflowed' }),
  );
}

function measureBatches(meter: Meter, subscriptions: Subscriptions): void {
  const batches = instrument(meter, figures.batcherBatches);
  const keysSent = instrument(meter, figures.batcherKeys);
  const failures = instrument(meter, figures.batcherFailures);
  subscriptions.on<BatchMessage>('tracing:ticketing:batching:batch:start', ({ name, keys }) => {
    batches(1, { name });
    keysSent(keys, { name });
  });
  subscriptions.on<BatchMessage>('tracing:ticketing:batching:batch:asyncEnd', (message) => {
    failures(message.failed ?? 0, { name: message.name });
  });
}

function measureShared(meter: Meter, subscriptions: Subscriptions): void {
  const calls = instrument(meter, figures.sharedCalls);
  const active = instrument(meter, figures.sharedActive);
  const renewals = instrument(meter, figures.sharedRenewals);
  const downs = instrument(meter, figures.coordinatorDowns);
  subscriptions.during<SharedMessage>('ticketing:batching:shared', (change, { name }) =>
    active(change, { name }),
  );
  subscriptions.on<SharedMessage>('tracing:ticketing:batching:shared:asyncEnd', (message) => {
    const { name, outcome } = message;
    if (outcome !== undefined) calls(1, { name, outcome });
  });
  subscriptions.on<LeadMessage>('ticketing:batching:shared-lead', ({ name, isRenewal }) => {
    if (isRenewal) renewals(1, { name });
  });
  subscriptions.on<CoordinatorMessage>('ticketing:batching:coordinator', ({ name, state }) => {
    if (state === 'down') downs(1, { name });
  });
}
