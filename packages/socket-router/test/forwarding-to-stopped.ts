import { until } from '@ticketing/test-kit';
import { type Ask, ask, oneConnection } from './clients.ts';
import { byKey, keyed, keys } from './keyed-workers.ts';
import { openJournal, openRouter } from './router-fixture.ts';

/** Asks until a worker answers: on a busy machine it may not take a request in time. */
export function answered(port: number, pid: number, options: Ask): Promise<void> {
  return until(async () => (await ask(port, options)).text.includes(`"pid":${pid},`));
}

/** A router whose worker 1 has a connection, and forwards to worker 0, which is stopped. */
export async function openWithStopped() {
  const journal = openJournal();
  const opened = await openRouter({
    ...byKey,
    own: true,
    env: { ...byKey.env, JOURNAL: journal.path },
    laterRequests: 'forward',
    limits: { maxWaitMs: 300 },
  });
  const [stopped = 0, first = 0] = opened.pids();
  const agent = oneConnection();
  await answered(opened.port, first, { agent, ...keyed(keys[1] ?? '') });
  process.kill(stopped, 'SIGSTOP');
  const runs = (path: string) => journal.requests().filter(({ url }) => url === path);
  return { ...opened, runs, agent, stopped, first };
}
