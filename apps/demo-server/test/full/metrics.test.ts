import { lives } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { eventually, getFrom, MADRID_BARCELONA, sharedProcess } from '../demo.ts';
import { pidsOf } from '../processes.ts';
import { describeWithPromtool, promtool } from '../promtool.ts';
import { lines, samples, sumOf } from '../series.ts';

const several = sharedProcess(
  ...['--accept', 'passthru', '--workers', '4', '--latency', '0', '--route-by', 'none'],
  ...['--dispatch', 'piscina', '--dispatch-workers', '1', '--operator', 'on'],
);

test('1,000 paths and stations on four processes are 3,000 lines at most', async () => {
  const { url } = several();
  const ask = async (path: string): Promise<void> => {
    const answer = await fetch(url + path, { method: path.length % 3 === 0 ? 'HEAD' : 'GET' });
    await answer.arrayBuffer();
  };
  for (let from = 0; from < 1000; from += 50) {
    await Promise.all(
      Array.from({ length: 50 }, (_, at) => {
        const one = `${from + at}-${Math.random().toString(36).slice(2)}`;
        const paths = [
          `/${one}`,
          `/search?origin=${one}&destination=Madrid`,
          `/api/v1/worms/${one}`,
          `/search?origin=Madrid&destination=${one}&date=${one}`,
          `/compute?ms=${one}`,
        ];
        return ask(paths[at % paths.length] ?? '/');
      }),
    );
  }
  const { body } = await getFrom(`${url}/metrics`);
  expect(sumOf(samples(body), 'ticketing_process_up')).toBe(9);
  expect(sumOf(samples(body), 'http_server_request_duration_seconds_count')).toBeGreaterThan(900);
  expect(lines(body).length).toBeLessThanOrEqual(3000);
});

test('a process that hangs makes the answer neither fail nor wait: it is down, the others are up', async () => {
  const { url } = several();
  const config = (await getFrom(`${url}/config`)).body;
  const [hung = 0] = pidsOf(config, 'server');
  process.kill(hung, 'SIGSTOP');
  try {
    // Whoever takes the connection answers for all; the one that hangs takes none for long.
    const found = await eventually(async () => {
      const ask = () =>
        getFrom(`${url}/metrics`, {
          signal: AbortSignal.timeout(3000),
          headers: { connection: 'close' },
        });
      const { body } = await Promise.any([ask(), ask(), ask()]);
      const all = samples(body);
      expect(
        all.filter(({ name, value }) => name === 'ticketing_process_up' && value === 0),
      ).toHaveLength(1);
      return all;
    });
    expect(sumOf(found, 'ticketing_process_up')).toBeGreaterThanOrEqual(6);
  } finally {
    // Its health check may have ended it by now.
    if (lives(hung)) process.kill(hung, 'SIGCONT');
  }
});

describeWithPromtool('promtool', () => {
  test('finds no fault in the metrics of several processes behind a router', async () => {
    const { url } = several();
    await getFrom(url + MADRID_BARCELONA);
    const { body } = await getFrom(`${url}/metrics`);
    expect(body).toContain('ticketing_router_claim_seconds_bucket');
    expect(await promtool(['check', 'metrics'], body)).toBe('');
  });
});
