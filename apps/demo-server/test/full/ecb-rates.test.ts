import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const script = fileURLToPath(new URL('../../scripts/ecb-rates.ts', import.meta.url));
const converted = (input: string) =>
  spawnSync(process.execPath, ['--conditions=@ticketing/source', script], {
    input,
    encoding: 'utf8',
  });

test('ecb-rates converts standard input to a file of rates', () => {
  const xml = `<gesmes:Envelope xmlns:gesmes="a" xmlns="b"><Cube><Cube time='2026-11-27'><Cube currency='CHF' rate='0.9412'/></Cube></Cube></gesmes:Envelope>`;
  const { status, stdout, stderr } = converted(xml);
  expect([status, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toMatchObject({ asOf: '2026-11-27', perBase: { CHF: '0.9412' } });
});

test('ecb-rates writes nothing of what is no list of rates, and ends with 1', () => {
  expect(converted('<html/>')).toMatchObject({
    status: 1,
    stdout: '',
    stderr: 'Cannot read rates: the document must have a day and its rates\n',
  });
  const wrong = `<Cube><Cube time='27.11.2026'><Cube currency='CHF' rate='0.9412'/></Cube></Cube>`;
  expect(converted(wrong)).toMatchObject({ status: 1, stdout: '' });
});
