import { DispatchError, type Dispatcher, type TasksOf } from '@ticketing/dispatch';
import type { Message, Queue } from './queue.ts';
import type { Invoice } from './tasks.ts';

export type Workers = Dispatcher<TasksOf<typeof import('./tasks.ts')>>;

export interface Consumer {
  readonly queue: Queue;
  readonly workers: Workers;
  /** Stores an invoice. May see an order twice, as every queue may deliver a message twice. */
  readonly store: (invoice: Invoice) => Promise<void>;
  /** When it aborts, no further message is read; messages that were read are worked off. */
  readonly signal: AbortSignal;
}

const MAX_OPEN = 16;
const MAX_REDELIVERIES = 3;
const RUN_TIMEOUT_MS = 5000;

/** Works off messages in any order. The next one is read when a worker has room for it. */
export async function consume(consumer: Consumer): Promise<void> {
  const { queue, workers, signal } = consumer;
  const options = { ordered: false, concurrency: MAX_OPEN, runTimeoutMs: RUN_TIMEOUT_MS };
  for await (const outcome of workers.map('invoice', queue.messages(signal), options)) {
    await settle(consumer, outcome.input, outcome);
  }
}

/** Works off the messages of one customer one after the other, and several customers side by side. */
export async function consumeByCustomer(consumer: Consumer): Promise<void> {
  const { queue, workers, signal } = consumer;
  const open = new Set<Promise<void>>();
  for await (const message of queue.messages(signal)) {
    const key = message.customer;
    // Room for this customer: without it, `run` would reject with ERR_QUEUE_FULL.
    await workers.capacity(undefined, { key });
    const settled = Promise.allSettled([
      workers.run('invoice', message, { key, runTimeoutMs: RUN_TIMEOUT_MS }),
    ])
      .then(([outcome]) => settle(consumer, message, outcome))
      .finally(() => open.delete(settled));
    open.add(settled);
  }
  await Promise.all(open);
}

async function settle(
  { queue, store }: Consumer,
  message: Message,
  outcome: PromiseSettledResult<Invoice>,
): Promise<void> {
  if (outcome.status === 'fulfilled') {
    await store(outcome.value);
    return queue.ack(message);
  }
  // What the task threw, it would throw again. A lost worker or a timeout may have other reasons.
  const { reason } = outcome as { readonly reason: unknown };
  const mayRetry = DispatchError.is(reason) && message.redelivered < MAX_REDELIVERIES;
  return mayRetry ? queue.nack(message) : queue.bury(message, String(reason));
}
