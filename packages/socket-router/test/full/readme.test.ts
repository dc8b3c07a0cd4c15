import { once } from 'node:events';
import { expect, test } from 'vitest';
import { ask } from '../clients.ts';
import { runSnippets } from '../readme-program.ts';

test('README: a room has one process, also after it was killed; some are canaries', async () => {
  const { program, port } = await runSnippets('rooms.js');
  // While its slot has no process for longer than `maxWaitMs` a client gets 503, and asks again.
  const join = async (room: number): Promise<string> => {
    for (;;) {
      const { status, text } = await ask(port, { path: `/?room=${room}` });
      if (status !== 503) return text;
    }
  };
  const rooms = Array.from({ length: 60 }, (_, room) => room);
  const first = await Promise.all(rooms.map(join));
  const canaries = first.filter((text) => text.startsWith('next '));
  expect(canaries.length).toBeGreaterThan(0);
  expect(canaries.length).toBeLessThan(12);
  // Two in place of four, and the canary.
  expect(new Set(first).size).toBe(3);
  expect(await Promise.all(rooms.map(join))).toEqual(first);
  const killed = first.find((text) => !canaries.includes(text)) as string;
  process.kill(Number(killed), 'SIGKILL');
  const after = await Promise.all(rooms.map(join));
  const successors = new Set(after.filter((_, room) => first[room] === killed));
  expect([successors.size, successors.has(killed)]).toEqual([1, false]);
  expect(after.filter((_, room) => first[room] !== killed)).toEqual(
    first.filter((text) => text !== killed),
  );
  expect((await ask(port)).status).toBe(400);
  program.send('close');
  expect(await once(program, 'exit')).toEqual([0, null]);
});
