import { createInProcessDispatcher, defineTasks, type TaskContext } from '@ticketing/dispatch';
import { createLink, engineProgram, startNatsServer, until } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { createNatsDispatcher, serveNatsTasks } from '../src/index.ts';

const HOSTS = 6;
const CALLS = 60;

test.skipIf(engineProgram('nats') === undefined)(
  'a connection that breaks uses up one attempt of a call, however many sessions it had',
  async () => {
    await using server = await startNatsServer();
    await using link = await createLink({ to: server.port });
    let begun = 0;
    const wait = (input: number, { signal }: TaskContext): Promise<number> | number => {
      begun += 1;
      if (begun > CALLS) return input;
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    };
    const dispatchers = Array.from({ length: HOSTS }, () =>
      createInProcessDispatcher(defineTasks({ wait })),
    );
    const hosts = dispatchers.map((dispatcher, index) =>
      serveNatsTasks({
        nats: { servers: server.url },
        fleet: 'breaks',
        hostId: `host-${index}`,
        dispatcher,
        tasks: ['wait'],
      }),
    );
    await Promise.all(hosts.map((host) => host.ready()));
    const fleet = createNatsDispatcher<{ wait: typeof wait }>({
      nats: { servers: `nats://127.0.0.1:${link.port}` },
      fleet: 'breaks',
      window: CALLS,
      // A busy machine may be silent for seconds.
      missedBeats: 40,
    });
    await until(() => {
      const ready = fleet.stats().workers.filter(({ state }) => state === 'ready');
      return ready.length === HOSTS;
    });

    const calls = Array.from({ length: CALLS }, (_, index) =>
      fleet.run('wait', index, { idempotent: true, retries: 1 }),
    );
    await until(() => begun === CALLS, 'all calls in hosts', 10_000);
    link.cut();
    await until(() => fleet.stats().lost === HOSTS, 'the loss', 10_000);
    link.open();
    expect(await Promise.all(calls)).toHaveLength(CALLS);
    expect(fleet.stats().retried).toBe(CALLS);

    await fleet.close();
    for (const each of [...hosts, ...dispatchers]) await each.close();
  },
);
