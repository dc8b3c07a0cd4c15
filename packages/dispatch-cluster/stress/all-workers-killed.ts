import { once } from 'node:events';
import http from 'node:http';
import type { Supervisor } from '../src/index.ts';
import { createCounter } from './load.ts';
import { addressOf } from './rolling-restart.ts';

/**
 * Kills every worker at once, again and again, while clients ask over a connection for each request. Resolves when each
 * request has had its answer or its failure, with how often each was met: a client that hangs keeps this from ending.
 */
export async function allWorkersKilled(
  supervisor: Supervisor,
  { kills, clients }: { readonly kills: number; readonly clients: number },
): Promise<Record<string, number>> {
  const url = await addressOf(supervisor);
  const met: Record<string, number> = {};
  const counter = createCounter();
  let isOver = false;
  const lanes = Array.from({ length: clients }, async () => {
    while (!isOver) {
      const outcome = await askOnce(`${url}/?ms=2`);
      met[outcome] = (met[outcome] ?? 0) + 1;
      if (outcome === '200') counter.count();
    }
  });
  for (let kill = 0; kill < kills; kill++) {
    // Answers prove that the workers serve, and that the clients are at work.
    await counter.more(2 * clients);
    const pids = supervisor.workers.map(({ pid }) => pid);
    const ready = once(supervisor.events, 'worker-ready');
    for (const pid of pids) if (pid !== undefined) process.kill(pid, 'SIGKILL');
    await ready;
  }
  isOver = true;
  await Promise.all(lanes);
  return met;
}

function askOnce(url: string): Promise<string> {
  return new Promise((resolve) => {
    http
      .get(url, { agent: false }, (response) => {
        response.resume();
        response.once('end', () => resolve(String(response.statusCode)));
        response.once('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)));
      })
      .once('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)));
  });
}
