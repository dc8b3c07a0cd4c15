import { lives } from '@ticketing/test-kit';
import { Value } from 'typebox/value';
import { expect, onTestFinished, test } from 'vitest';
import { ACCEPTS } from '../../src/flags/flag-specs.ts';
import { OperatorView } from '../../src/operator/view-schema.ts';
import { type DemoProcess, getFrom, startDemo } from '../demo.ts';
import { viewsIn } from '../operator-views.ts';

async function stateOf({ url }: Pick<DemoProcess, 'url'>): Promise<OperatorView> {
  const { status, body } = await getFrom(`${url}/operator/state`);
  expect([status, [...Value.Errors(OperatorView, body)]]).toEqual([200, []]);
  return body;
}

test.each(ACCEPTS)(
  '--accept %s: who follows the views when the server stops is not cut off, and holds nothing up',
  async (accept) => {
    const several = accept === 'single' ? [] : ['--workers', '2'];
    // As long a deadline as a server would wait for requests in flight.
    const demo = await startDemo(['--accept', accept, ...several, '--deadline-ms', '600000']);
    const { body } = await fetch(`${demo.url}/operator/events`);
    let received = '';
    let begin = (): void => {};
    const first = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const whole = (async () => {
      // A connection that is cut rejects.
      for await (const bytes of body ?? []) {
        received += Buffer.from(bytes).toString();
        begin();
      }
    })();
    await first;
    demo.child.kill('SIGTERM');
    await whole;
    expect(received).toMatch(/^retry: 1000\nevent: view\ndata: \{/);
    expect(received.endsWith('\n\n')).toBe(true);
    expect(await demo.exit()).toBe(0);
    expect(demo.errors()).not.toContain('SIGKILL');
  },
);

test.each(['cluster', 'socket', 'passthru'])(
  '--accept %s: a process that hangs is silent, not absent, and ready when it goes on',
  async (accept) => {
    const demo = await startDemo(['--accept', accept, '--workers', '2', '--latency', '0']);
    const leaving = new AbortController();
    onTestFinished(() => leaving.abort());
    const { signal } = leaving;
    const { body, headers } = await fetch(`${demo.url}/operator/events`, { signal });
    const serving = Number(headers.get('x-worker'));
    /** Follows the views until one has the process in a state. */
    const views = viewsIn(body);
    async function see(pid: number, state: string): Promise<OperatorView['processes'][number]> {
      for (;;) {
        const next = await views.next();
        if (next.done) throw new Error(`The views ended before process ${pid} was ${state}`);
        const { processes } = next.value;
        const row = processes.find((one) => one.pid === pid);
        if (row?.state === state) return row;
      }
    }
    const all = (await stateOf(demo)).processes;
    const other = all.find(({ kind, pid }) => kind === 'server' && pid !== serving);
    const pid = other?.pid ?? 0;
    onTestFinished(() => {
      if (lives(pid)) process.kill(pid, 'SIGCONT');
    });
    process.kill(pid, 'SIGSTOP');
    const silent = await see(pid, 'silent');
    expect(silent).toMatchObject({ id: other?.id, kind: 'server' });
    expect(silent).not.toHaveProperty('loopP99Ms');
    process.kill(pid, 'SIGCONT');
    expect(await see(pid, 'ready')).toMatchObject({ id: other?.id, loopP99Ms: expect.any(Number) });
  },
);
