// See what-a-dead-worker-had-started.md. The truth is a third file that the child appends to.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

if (process.argv[2] === 'child') {
  const number = new Float64Array(1);
  const said = { text: 'x'.repeat(200) };
  for (let seq = 1; ; seq++) {
    writeSync(3, '.');
    number[0] = seq;
    writeSync(4, number, 0, 8, 0);
    process.send({ started: seq, said });
  }
}

const folder = mkdtempSync(join(tmpdir(), 'started-'));
const truth = openSync(join(folder, 'truth'), 'a');
const journal = openSync(join(folder, 'journal'), 'w+');
const child = fork(new URL(import.meta.url), ['child'], {
  serialization: 'advanced',
  stdio: ['ignore', 'inherit', 'inherit', truth, journal, 'ipc'],
});
let told = 0;
child.on('message', ({ started }) => {
  told = started;
});
const isFarAhead = () => statSync(join(folder, 'truth')).size > 20_000;
// The parent is busy: it reads no message meanwhile.
while (!isFarAhead());
child.kill('SIGKILL');
child.on('close', () => {
  const number = new Float64Array(1);
  readSync(journal, number, 0, 8, 0);
  console.log(`started ${readFileSync(join(folder, 'truth')).length}`);
  console.log(`by file ${number[0]}`);
  console.log(`by message ${told}`);
  const started = readFileSync(join(folder, 'truth')).length;
  assert.ok(Math.abs(started - number[0]) <= 1, 'the file has all but the one under way');
  assert.ok(told < started, 'messages are lost');
  closeSync(journal);
  closeSync(truth);
  rmSync(folder, { recursive: true });
});
