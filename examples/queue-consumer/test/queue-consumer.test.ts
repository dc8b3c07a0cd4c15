import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createForkDispatcher } from '@ticketing/dispatch-fork';
import { consume, consumeByCustomer } from '../src/consumer.ts';
import { createHttpQueue, type Message } from '../src/queue.ts';
import type { Invoice } from '../src/tasks.ts';
import { startBroker } from './broker.ts';

const tasks = new URL('../src/tasks.js', import.meta.url);
const crashingTasks = new URL('./crashing-tasks.js', import.meta.url);

const order = (id: string, customer = 'anna', cents = 250): Message => ({
  id,
  customer,
  lines: [{ cents, count: 2 }],
  redelivered: 0,
});
const orders = (count: number) => Array.from({ length: count }, (_, index) => order(`o${index}`));

/** A broker with messages, two workers, and a consumer between them that runs until it is stopped. */
async function start(
  t: TestContext,
  messages: readonly Message[],
  { module = tasks, by = consume, maxQueue = 16 } = {},
) {
  const broker = await startBroker(messages);
  const workers = createForkDispatcher<typeof import('../src/tasks.ts')>(module, {
    max: 2,
    maxQueue,
    restart: { backoffMs: [1, 10], maxFailures: 100 },
  });
  t.after(async () => {
    broker.close();
    await workers.close();
  });
  const stored: Invoice[] = [];
  const stopping = new AbortController();
  const consumed = by({
    queue: createHttpQueue(broker.url),
    workers,
    store: async (invoice) => void stored.push(invoice),
    signal: stopping.signal,
  });
  const stop = () => {
    stopping.abort();
    return consumed;
  };
  return { broker, workers, stored, stop };
}

test('each message is acknowledged once, and read only when there is room for it', async (t) => {
  const { broker, stored, stop } = await start(t, orders(300));
  await broker.settled(300);
  await stop();
  assert.equal(stored.length, 300);
  assert.deepEqual(new Set(broker.acked), new Set(orders(300).map(({ id }) => id)));
  assert.ok(broker.mostOpen() <= 17, `${broker.mostOpen()} messages were open`);
});

test('a poison message is buried with its reason, and harms no other', async (t) => {
  const { broker, stop } = await start(t, [...orders(20), order('bad', 'boris', 0.1)]);
  await broker.settled(21);
  await stop();
  assert.deepEqual(
    [...broker.buried],
    [['bad', 'TypeError: Order bad has a line without a price']],
  );
  assert.equal(broker.acked.length, 20);
});

test('a message whose worker is lost is delivered again; one that ends every worker is buried', async (t) => {
  const messages = [...orders(20), order('once', 'crash'), order('always', 'crash-always')];
  const { broker, workers, stop } = await start(t, messages, { module: crashingTasks });
  await broker.settled(22);
  await stop();
  assert.deepEqual(broker.nacked.toSorted(), ['always', 'always', 'always', 'once']);
  assert.ok(broker.acked.includes('once'));
  assert.equal(broker.acked.length, 21);
  assert.match(broker.buried.get('always') ?? '', /^DispatchError/);
  assert.equal(workers.stats().lost, 5);
});

test('the messages of a customer are worked off in their order, by one worker', async (t) => {
  const customers = ['anna', 'boris', 'clara', 'dora'];
  const messages = Array.from({ length: 200 }, (_, index) =>
    order(`o${index}`, customers[index % customers.length]),
  );
  const { broker, stored, stop } = await start(t, messages, { by: consumeByCustomer });
  await broker.settled(200);
  await stop();
  assert.deepEqual(broker.nacked, []);
  for (const customer of customers) {
    const own = stored.filter((invoice) => invoice.customer === customer);
    const numbers = own.map((invoice) => Number(invoice.order.slice(1)));
    assert.deepEqual(
      numbers,
      numbers.toSorted((one, other) => one - other),
    );
    assert.equal(numbers.length, 50);
    assert.equal(new Set(own.map(({ slot }) => slot)).size, 1);
  }
});

test('a consumer that is stopped works off what it has read, and leaves the rest', async (t) => {
  const { broker, stored, stop } = await start(t, orders(5000));
  await broker.settled(10);
  await stop();
  assert.equal(broker.acked.length, stored.length);
  assert.equal(broker.acked.length + broker.left(), 5000);
});
