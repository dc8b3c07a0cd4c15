import { expect, test } from 'vitest';
import { missingLines, settingsOf, stepsOf } from '../shared/guide.mjs';

test('stepsOf() returns files, commands and outputs in order, hidden ones in comments too', () => {
  const page = [
    '# A guide',
    '```js title=src/a.js',
    'run();',
    '```',
    '```ts',
    'notAStep();',
    '```',
    '<!--',
    '```sh',
    'node src/a.js',
    '```',
    '-->',
    '```text',
    'ran',
    '```',
    '',
  ].join('\n');
  expect(stepsOf(page)).toEqual([
    { kind: 'file', path: 'src/a.js', text: 'run();\n' },
    { kind: 'commands', text: 'node src/a.js\n', line: 9 },
    { kind: 'output', text: 'ran\n' },
  ]);
});

test('settingsOf() fills missing settings, and refuses unknown ones', () => {
  expect(settingsOf('# A page')).toBeUndefined();
  expect(settingsOf('<!-- run: -->')).toEqual({ nodes: ['20', '26'], timeoutSeconds: 180 });
  expect(settingsOf('<!-- run: nodes=26 timeout=60 -->')).toEqual({
    nodes: ['26'],
    timeoutSeconds: 60,
  });
  expect(() => settingsOf('<!-- run: node=26 -->')).toThrow(
    'Unknown setting `node` of a guide: it must be nodes or timeout',
  );
});

test('missingLines() requires the lines in order, with … for any text', () => {
  expect(missingLines('a\nb 1\n', 'x\na\ny\nb 1\n')).toEqual([]);
  expect(missingLines('a …\n…\nb\n', 'a 12 ms\nb\n')).toEqual([]);
  expect(missingLines('b\na\n', 'a\nb\n')).toEqual(['a']);
  expect(missingLines('took … ms', 'took 12 s')).toEqual(['took … ms']);
  expect(missingLines('… and more', 'one and more')).toEqual([]);
});
