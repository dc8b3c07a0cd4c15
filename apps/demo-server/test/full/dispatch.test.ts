import { lives } from '@ticketing/test-kit';
import { describe, expect, test } from 'vitest';
import { eventually, requestsAt, setPlan, startDemo } from '../demo.ts';
import { inProcessServer, SEARCH, serveNow, testDispatch } from '../dispatch-cases.ts';
import { testedDispatches } from '../fleet.ts';

const inProcess = inProcessServer();
for (const name of testedDispatches) {
  if (name !== 'in-process') testDispatch(inProcess, '--dispatch', name, '--offload', 'normalise');
}

const everywhere = testedDispatches.flatMap((dispatch) =>
  ['whole', 'normalise'].map((offload) => ['--dispatch', dispatch, '--offload', offload]),
);

describe.each(everywhere)('%s %s %s %s', (...flags) => {
  test('a carrier that hangs is aborted at the deadline', async () => {
    const argv = ['--latency', '0', '--deadline-ms', '1500', ...flags];
    const { get, carriersUrl } = await serveNow(...argv);
    await setPlan(carriersUrl, 'renfe', { fault: { kind: 'hang' } });
    const { status, body } = await get(SEARCH);
    expect(status).toBe(200);
    expect(body.carriers).toMatchObject([{ state: 'timeout' }, { state: 'ok' }, { state: 'ok' }]);
    await eventually(async () =>
      expect((await requestsAt(carriersUrl))['renfe']).toMatchObject({ aborted: 1, open: 0 }),
    );
  });
});

test('USE_CHILD_PROCESSES=true dispatches to child processes, which SIGTERM ends with the server', async () => {
  const demo = await startDemo(['--latency', '0'], { USE_CHILD_PROCESSES: 'true' });
  const { processes } = (await (await fetch(`${demo.url}/config`)).json()) as {
    processes: { pid: number; role: string }[];
  };
  expect(processes.filter(({ role }) => role === 'task').length).toBeGreaterThan(0);
  demo.child.kill('SIGTERM');
  expect(await demo.exit()).toBe(0);
  expect(processes.filter(({ pid }) => lives(pid))).toEqual([]);
});
