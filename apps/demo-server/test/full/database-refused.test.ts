import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { databaseRefused } from '../../src/worms/worm-error.ts';
import { eventually, runDemo } from '../demo.ts';

test.each(['postgres', 'mongodb'])(
  '%s that cannot be reached: one clear line without the password, and exit code 2',
  async (scheme) => {
    const url = `${scheme}://user:s3cret@127.0.0.1:1/worms`;
    const { code, stderr, stdout } = await runDemo(['--database-url', url, '--worms', '100']);
    expect(stderr).toMatch(
      /^Cannot start: --database-url must be a database that can be filled, got .*connect ECONNREFUSED 127.0.0.1:1\n$/,
    );
    expect(stderr).not.toContain('s3cret');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  },
);

test('a database that accepts and sends nothing: one clear line and exit code 2', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await eventually(() => expect(silent.listening).toBe(true));
  const { port } = silent.address() as { port: number };
  const { code, stderr } = await runDemo([
    ...['--database-url', `postgres://127.0.0.1:${port}/worms`, '--worms', '100'],
  ]);
  expect(stderr).toBe(
    'Cannot start: --database-url must be a database that can be filled, got timeout expired\n',
  );
  expect(code).toBe(2);
});

test('databaseRefused() reports the first reason of several, in one line, and no secret', () => {
  const url = 'mongodb://user:s3%40cret@one,two/worms';
  const reason = (error: unknown) => databaseRefused(error, url).message.split(', got ')[1];
  expect(reason(new AggregateError([new Error('one'), new Error('two')]))).toBe('one');
  expect(reason(new Error(`Bad "${url}"\n  at s3%40cret or s3@cret`))).toBe(
    'Bad "mongodb://one,two/worms" at … or …',
  );
  expect(reason(Object.assign(new Error(''), { code: 'ECONNREFUSED' }))).toBe('ECONNREFUSED');
});
