import { createHash, randomBytes, randomInt } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ask, open, received, workerReplyIn } from '../clients.ts';
import { openRouter } from '../router-fixture.ts';
import { openDescriptors } from '../worker-processes.ts';

function post(body: Buffer): Buffer {
  const head = `POST /md5 HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

test('60 of 60 bodies of 3 MB arrive whole, in random fragments', async () => {
  const { port, router } = await openRouter();
  const body = randomBytes(3 * 1024 * 1024);
  const md5 = createHash('md5').update(body).digest('hex');
  const request = post(body);
  let whole = 0;
  const send = async (): Promise<void> => {
    const socket = await open(port);
    const answer = received(socket);
    for (let at = 0; at < request.length; ) {
      const size = at < 200 ? randomInt(1, 90) : randomInt(1, 200_000);
      socket.write(request.subarray(at, at + size));
      at += size;
      if (randomInt(2) === 0) await setImmediate();
    }
    const reply = workerReplyIn(await answer);
    if (reply.md5 === md5 && reply.bytes === body.length) whole += 1;
  };
  for (let round = 0; round < 15; round++) await Promise.all([send(), send(), send(), send()]);
  expect(whole).toBe(60);
  expect(router.stats()).toMatchObject({ accepted: 60, handedOver: 60, refused: 0, rerouted: 0 });
});

test('1,000 connections leave no descriptor open, here or in the workers', async () => {
  const { port, pids, router } = await openRouter();
  const connections = async (count: number): Promise<void> => {
    for (let done = 0; done < count; done += 50) {
      await Promise.all(Array.from({ length: 50 }, () => ask(port)));
    }
  };
  await connections(100);
  const before = [openDescriptors(), ...pids().map(openDescriptors)];
  await connections(1000);
  const after = [openDescriptors(), ...pids().map(openDescriptors)];
  // A few more or less: sockets whose close the system has not reported yet.
  for (const [index, count] of after.entries()) {
    expect(count).toBeLessThan((before[index] ?? 0) + 20);
  }
  expect(router.stats()).toMatchObject({
    accepted: 1100,
    handedOver: 1100,
    reading: 0,
    waiting: 0,
  });
});
