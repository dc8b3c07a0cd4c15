import { expect, onTestFinished, test } from 'vitest';
import { createPrograms } from '../src/programs/programs.ts';

const QUEUE_SERVER = new URL('../04-batching/queue/queue-server.ts', import.meta.url);

test('a program that does not start is an error with what it said', async () => {
  const programs = createPrograms();
  onTestFinished(programs.close);
  await expect(programs.start(QUEUE_SERVER, ['--queue', 'nonsense'])).rejects.toThrow(
    /Cannot start .*queue-server.ts --queue nonsense: it must print its address/,
  );
  await programs.close();
});
