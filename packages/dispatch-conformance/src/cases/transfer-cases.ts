import assert from 'node:assert/strict';
import { type CaseDraft, needsNoTransfer, needsTransfer } from '../conformance-case.ts';
import { rejected } from '../rejected.ts';

/** Buffers that are moved. */
export const transferCases: readonly CaseDraft[] = [
  {
    name: 'transfer moves the buffers of an input',
    unless: needsTransfer,
    async act(stage) {
      const dispatcher = await stage.ready();
      const buffer = Uint8Array.of(1, 2, 3).buffer;
      const answer = await dispatcher.run('echo', { buffer }, { transfer: [buffer] });
      assert.deepEqual(answer, { buffer: Uint8Array.of(1, 2, 3).buffer });
      assert.equal(buffer.byteLength, 0, 'bytes left to the caller');
    },
  },
  {
    name: 'transfer of one call in a batch leaves the others alone',
    unless: needsTransfer,
    async act(stage) {
      const dispatcher = await stage.ready();
      const moved = Uint8Array.of(1).buffer;
      const kept = Uint8Array.of(2).buffer;
      const answers = await Promise.all([
        dispatcher.run('echo', kept),
        dispatcher.run('echo', moved, { transfer: [moved] }),
        dispatcher.run('echo', 'plain'),
      ]);
      assert.deepEqual(answers, [Uint8Array.of(2).buffer, Uint8Array.of(1).buffer, 'plain']);
      assert.deepEqual([kept.byteLength, moved.byteLength], [1, 0]);
    },
  },
  {
    name: 'transfer is refused where buffers cannot be moved, and the buffer stays',
    unless: needsNoTransfer,
    async act(stage) {
      const dispatcher = await stage.ready();
      const buffer = Uint8Array.of(1, 2, 3).buffer;
      const error = await rejected(dispatcher.run('echo', buffer, { transfer: [buffer] }));
      assert.ok(error instanceof TypeError, `a TypeError, got ${error}`);
      assert.equal(buffer.byteLength, 3);
    },
  },
  {
    name: 'a result made by transferred() arrives as its value, moved or copied',
    async act(stage) {
      const dispatcher = await stage.ready();
      const answers = await Promise.all([
        dispatcher.run('bytes', { length: 4, value: 7 }),
        dispatcher.run('bytes', { length: 1_000_000, value: 9 }),
        dispatcher.run('bytes', { length: 0, value: 0 }),
      ]);
      assert.deepStrictEqual(answers[0], new Uint8Array(4).fill(7));
      assert.equal(answers[1].length, 1_000_000);
      assert.ok(answers[1].every((byte) => byte === 9));
      assert.equal(answers[2].length, 0);
    },
  },
];
