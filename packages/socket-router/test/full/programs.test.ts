import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { ask, askToTell, oneConnection } from '../clients.ts';
import { doorFolders } from '../own-temporary-folder.ts';
import { execArgv, lives } from '../worker-processes.ts';

interface Told {
  readonly port: number;
  readonly pids: number[];
  readonly workers: { readonly slot: string; readonly pid: number; readonly state: string }[];
  readonly left: number;
}

async function told(child: ChildProcess): Promise<Told> {
  const [message] = await once(child, 'message');
  return message as Told;
}

function start(name: string, args: readonly string[], env: object = {}): ChildProcess {
  const child = fork(new URL(`../${name}`, import.meta.url), args, {
    execArgv: [...execArgv],
    env: { ...process.env, ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

test.each(['socket', 'passthru'])(
  'mode %s: two routers beside each other do not meet',
  async (mode) => {
    const masters = [
      start('master-program.mjs', [mode, '2']),
      start('master-program.mjs', [mode, '2']),
    ];
    const [one, other] = await Promise.all(masters.map(told));
    expect(doorFolders()).toHaveLength(2);
    for (const { port, pids } of [one, other] as Told[]) {
      const agent = oneConnection();
      for (let request = 0; request < 10; request++) {
        expect(pids).toContain((await askToTell(port, { agent })).pid);
        expect(pids).toContain((await askToTell(port)).pid);
      }
      agent.destroy();
    }
    masters[0]?.send('close');
    await once(masters[0] as ChildProcess, 'exit');
    expect(doorFolders()).toHaveLength(1);
    expect((await ask(other?.port ?? 0)).status).toBe(200);
    masters[1]?.send('close');
    await once(masters[1] as ChildProcess, 'exit');
    expect(doorFolders()).toEqual([]);
    expect([one, other].flatMap((master) => master?.pids ?? []).filter(lives)).toEqual([]);
  },
);
