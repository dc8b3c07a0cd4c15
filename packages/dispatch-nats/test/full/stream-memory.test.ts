import { fork } from 'node:child_process';
import { once } from 'node:events';
import { checkSlowReading, engineProgram, startNatsServer } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { createNatsDispatcher } from '../../src/index.ts';
import type { Tasks } from '../fixtures/adverse-host.ts';

const MB = 1024 * 1024;

test.skipIf(engineProgram('nats') === undefined)(
  '1 GB over NATS with a slow consumer takes less than 64 MB there, and little more on the host',
  async () => {
    const server = await startNatsServer();
    const given = JSON.stringify({ fleet: 'slow', url: server.url });
    const execArgv = ['--conditions=@ticketing/source'];
    const host = fork(new URL('../fixtures/adverse-host.ts', import.meta.url), [given], {
      execArgv,
    });
    await once(host, 'message');
    const dispatcher = createNatsDispatcher<Tasks>({
      nats: { servers: server.url },
      fleet: 'slow',
      // A busy machine may be silent for seconds.
      missedBeats: 40,
    });
    const before = await dispatcher.run('mostBytes');
    await checkSlowReading(new URL('../fixtures/slow-reader.ts', import.meta.url), [given]);
    // With memory that is not collected yet, and the client's own buffers.
    expect((await dispatcher.run('mostBytes')) - before).toBeLessThan(160 * MB);
    await dispatcher.close();
    const ended = once(host, 'exit');
    host.disconnect();
    await ended;
    await server.close();
  },
  60_000,
);
