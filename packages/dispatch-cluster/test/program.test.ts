import { once } from 'node:events';
import http from 'node:http';
import { gone, lives, until } from '@ticketing/test-kit';
import { expect, test, vi } from 'vitest';
import { ask, run, runPlain } from './programs.ts';

vi.setConfig({ testTimeout: 120_000 });

test('a plain program runs in each worker as its main module, with its arguments, and shares its port', async () => {
  const { url, port, text, child, ended, askAdmin } = await runPlain();
  const answers = await Promise.all([1, 2, 3, 4].map(() => ask(url)));
  expect(new Set(answers.map(({ pid }) => pid)).size).toBe(2);
  expect(answers[0]?.args).toEqual(['--own', 'x']);
  // A further server of the program is served, too.
  const pids = await Promise.all([askAdmin(0), askAdmin(1)]);
  expect(new Set(pids.map(({ pid }) => pid))).toEqual(new Set(answers.map(({ pid }) => pid)));
  expect(text()).toContain(`listening on port ${port} with 2 workers`);
  expect(text().split(`listens on ${port}`)).toHaveLength(3);
  child.kill('SIGTERM');
  expect(await ended()).toBe(0);
  expect(text().split('its listener of SIGTERM')).toHaveLength(3);
  await Promise.all(pids.map(({ pid }) => gone(pid, 10_000)));
});

test('Ctrl-C in a terminal: a request in flight is answered before the listener of the program ends its process', async () => {
  const { url, group, text, ended } = await runPlain();
  const request = http.request(url, { method: 'POST', agent: false });
  request.flushHeaders();
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  process.kill(group, 'SIGINT');
  // The cluster closes once its port is closed.
  await until(() =>
    ask(url).then(
      () => false,
      () => true,
    ),
  );
  expect(text()).not.toContain('its listener');
  request.end();
  let answer = '';
  for await (const chunk of response) answer += chunk;
  const { pid } = JSON.parse(answer);
  expect(await ended()).toBe(0);
  expect(text().split('its listener of SIGTERM')).toHaveLength(3);
  expect(text()).not.toContain('its listener of SIGINT');
  expect(lives(pid)).toBe(false);
});

test('an unknown flag ends the command with 2 and the nearest one', async () => {
  const command = run(['server.js', '--worker', '2']);
  expect(await command.ended()).toBe(2);
  expect(command.text()).toBe(
    'Cannot start cluster: unknown flag --worker; did you mean --workers?\n',
  );
});
