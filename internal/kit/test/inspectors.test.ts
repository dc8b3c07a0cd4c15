import inspector from 'node:inspector';
import { expect, onTestFinished, test, vi } from 'vitest';
import { inspectorOption, opensInspector, watchInspector } from '../src/processes/inspectors.ts';

test.each([
  [['--inspect'], '', '127.0.0.1'],
  [['--inspect=9230'], '', '127.0.0.1'],
  [['--inspect=0.0.0.0:9230'], '', '0.0.0.0'],
  [['--inspect-brk=localhost'], '', 'localhost'],
  [['--inspect-wait', '--inspect-port=[::1]:1'], '', '[::1]'],
  [['--inspect', '--inspect-port', '10.0.0.1:9229', 'main.js'], '', '10.0.0.1'],
  [[], '--no-warnings --inspect=10.0.0.2:0', '10.0.0.2'],
  [['--inspect=9230'], '--inspect=10.0.0.2', '10.0.0.2'],
])(
  'with %j and NODE_OPTIONS %j a worker listens at a free port of %s',
  (execArgv, options, host) => {
    expect(inspectorOption(execArgv, options)).toBe(`--inspect=${host}:0`);
  },
);

test.each([[[]], [['--inspect-port=9230']], [['--inspect-publish-uid=http']], [['--inspector']]])(
  '%j opens no inspector',
  (execArgv) => {
    expect(inspectorOption(execArgv, '')).toBe(undefined);
    expect(opensInspector(execArgv)).toBe(false);
  },
);

test('an inspector that opens and closes is reported within a second, until the end', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  let url: string | undefined;
  const read = vi.spyOn(inspector, 'url').mockImplementation(() => url);
  onTestFinished(() => read.mockRestore());
  const seen: unknown[] = [];
  const end = watchInspector((at) => seen.push(at));
  expect(seen).toEqual([]);
  url = 'ws://127.0.0.1:1/a';
  vi.advanceTimersByTime(2000);
  url = undefined;
  vi.advanceTimersByTime(1000);
  expect(seen).toEqual(['ws://127.0.0.1:1/a', undefined]);
  end();
  url = 'ws://127.0.0.1:1/b';
  vi.advanceTimersByTime(5000);
  expect(seen).toHaveLength(2);
});
