import { describe, expect, test } from 'vitest';
import { eventually, requestsAt, setPlan } from '../demo.ts';
import { inProcessServer, SEARCH, serveNow, testDispatch } from '../dispatch-cases.ts';

const inProcess = inProcessServer();
testDispatch(inProcess, '--dispatch', 'fork', '--offload', 'normalise');
testDispatch(inProcess, '--dispatch', 'cluster', '--offload', 'normalise');

const everywhere = ['in-process', 'fork', 'piscina', 'cluster'].flatMap((dispatch) =>
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
