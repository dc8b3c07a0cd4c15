import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { ask, askToTell, oneConnection } from '../clients.ts';
import { startProgram, type ToldByProgram, toldBy } from '../programs.ts';
import { socketFolders } from '../socket-folders.ts';
import { lives } from '../worker-processes.ts';

test.each(['socket', 'passthru'])(
  'mode %s: two routers beside each other do not meet',
  async (mode) => {
    const masters = [
      startProgram('master-program.mjs', [mode, '2']),
      startProgram('master-program.mjs', [mode, '2']),
    ];
    const [one, other] = await Promise.all(masters.map(toldBy));
    expect(socketFolders()).toHaveLength(2);
    for (const { port, pids } of [one, other] as ToldByProgram[]) {
      const agent = oneConnection();
      for (let request = 0; request < 10; request++) {
        expect(pids).toContain((await askToTell(port, { agent })).pid);
        expect(pids).toContain((await askToTell(port)).pid);
      }
      agent.destroy();
    }
    masters[0]?.send('close');
    await once(masters[0] as ChildProcess, 'exit');
    expect(socketFolders()).toHaveLength(1);
    expect((await ask(other?.port ?? 0)).status).toBe(200);
    masters[1]?.send('close');
    await once(masters[1] as ChildProcess, 'exit');
    expect(socketFolders()).toEqual([]);
    expect([one, other].flatMap((master) => master?.pids ?? []).filter(lives)).toEqual([]);
  },
);
