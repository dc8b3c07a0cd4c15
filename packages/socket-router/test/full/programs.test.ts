import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { lives } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { ask, askWorker, oneConnection } from '../clients.ts';
import { nextReport, type ProgramReport, startProgram } from '../programs.ts';
import { socketFolders } from '../socket-folders.ts';

test.each(['socket', 'passthru'])(
  'mode %s: two routers beside each other do not meet',
  async (mode) => {
    const programs = [
      startProgram('router-program.mjs', [mode, '2']),
      startProgram('router-program.mjs', [mode, '2']),
    ];
    const [one, other] = await Promise.all(programs.map(nextReport));
    expect(socketFolders()).toHaveLength(2);
    for (const { port, pids } of [one, other] as ProgramReport[]) {
      const agent = oneConnection();
      for (let request = 0; request < 10; request++) {
        expect(pids).toContain((await askWorker(port, { agent })).pid);
        expect(pids).toContain((await askWorker(port)).pid);
      }
      agent.destroy();
    }
    programs[0]?.send('close');
    await once(programs[0] as ChildProcess, 'exit');
    expect(socketFolders()).toHaveLength(1);
    expect((await ask(other?.port ?? 0)).status).toBe(200);
    programs[1]?.send('close');
    await once(programs[1] as ChildProcess, 'exit');
    expect(socketFolders()).toEqual([]);
    expect([one, other].flatMap((program) => program?.pids ?? []).filter(lives)).toEqual([]);
  },
);

test('a program that forks itself as its workers: the second level ends, and its error names the fix', async () => {
  const [report] = await once(startProgram('self-program.mjs', []), 'message');
  expect(report).toEqual({
    code: 'ERR_CIRCUIT_OPEN',
    message:
      'Workers keep failing to start: TypeError: Cannot fork workers: this program was started as a worker of the same `module`, and its own workers would start more without end; keep the program of the workers in a separate file',
  });
});
