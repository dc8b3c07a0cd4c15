import { type ChildProcess, fork } from 'node:child_process';
import type { WorkerChannel, WorkerSource } from '../src/index.ts';
import { execArgv } from './worker-processes.ts';

/** Processes without a router, by what they run. They end with this process. */
const idle = new Map<string, ChildProcess[]>();

/**
 * Returns processes that run one of the modules in `workers/` and outlive their router, because a start costs far more than
 * most tests. Each router gets a new server. Not for tests that end processes, or wait for their end.
 */
export function lentWorkers(
  name: string,
  count: number,
  env: Readonly<Record<string, string>>,
): WorkerSource {
  const lent: ChildProcess[] = [];
  return {
    subscribe(listener) {
      for (let slot = 0; slot < count; slot++) lent.push(idleOf(name).pop() ?? start(name));
      const renewed = lent.map((child) => renew(child, env));
      // In the order of their slots, as a source reports workers that start.
      void Promise.all(renewed).then(() => {
        for (const [slot, child] of lent.entries()) {
          listener({ slot: String(slot), pid: child.pid, channel: child as WorkerChannel });
        }
      });
      return () => {};
    },
    async close() {
      for (const child of lent) {
        // A test that fails may have stopped it.
        child.kill('SIGCONT');
        if (child.connected) idleOf(name).push(child);
        else throw new Error('A worker that was lent has ended: open the router with `own`');
      }
    },
  };
}

function idleOf(name: string): ChildProcess[] {
  const known = idle.get(name) ?? [];
  idle.set(name, known);
  return known;
}

function start(name: string): ChildProcess {
  const module = new URL(`workers/${name}.mjs`, import.meta.url);
  const child = fork(module, ['lent'], {
    serialization: 'advanced',
    execArgv: [...execArgv],
  });
  child.setMaxListeners(0);
  return child;
}

async function renew(child: ChildProcess, env: object): Promise<void> {
  const renewed = new Promise<void>((resolve) => {
    const heard = (message: unknown): void => {
      if (message !== 'lent') return;
      child.off('message', heard);
      resolve();
    };
    child.on('message', heard);
  });
  child.send({ lent: env });
  await renewed;
}
