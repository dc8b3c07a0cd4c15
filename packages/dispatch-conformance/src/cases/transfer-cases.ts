import assert from 'node:assert/strict';
import { once } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import { rejected, rejectedWith } from '../calls.ts';
import {
  type Abilities,
  type CaseDraft,
  needsCopies,
  needsNoTransfer,
  needsTransfer,
  test,
} from '../conformance-case.ts';

/** Skips subjects that copy values and cannot move buffers. */
function movesPorts(abilities: Abilities): string | undefined {
  return abilities.copies ? needsTransfer(abilities) : undefined;
}

/** Buffers and ports that are moved. */
export const transferCases: readonly CaseDraft[] = [
  test('transfer moves the buffers of an input', needsTransfer, async (stage) => {
    const dispatcher = await stage.ready();
    const buffer = Uint8Array.of(1, 2, 3).buffer;
    const answer = await dispatcher.run('echo', { buffer }, { transfer: [buffer] });
    assert.deepEqual(answer, { buffer: Uint8Array.of(1, 2, 3).buffer });
    assert.equal(buffer.byteLength, 0, 'bytes left to the caller');
  }),
  test('transfer of one call in a batch leaves the others alone', needsTransfer, async (stage) => {
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
  }),
  test(
    'transfer copies where buffers cannot be moved: they arrive, and stay with the caller',
    needsNoTransfer,
    async (stage) => {
      const dispatcher = await stage.ready();
      const buffer = Uint8Array.of(1, 2, 3).buffer;
      const kept = { buffer: Uint8Array.of(4).buffer };
      const answers = await Promise.all([
        dispatcher.run('echo', { buffer }, { transfer: [buffer] }),
        dispatcher.run('echo', kept),
      ]);
      assert.deepEqual(answers, [{ buffer: Uint8Array.of(1, 2, 3).buffer }, kept]);
      assert.deepEqual([...new Uint8Array(buffer)], [1, 2, 3], 'bytes left to the caller');
    },
  ),
  test('transfer moves a port: both ends talk', movesPorts, async (stage) => {
    const dispatcher = await stage.ready();
    const { port1, port2 } = new MessageChannel();
    const answer = dispatcher.run('talk', { port: port2 }, { transfer: [port2] });
    const heard = once(port1, 'message');
    const closed = once(port1, 'close');
    port1.postMessage('hello');
    assert.equal(await answer, 'hello');
    assert.deepEqual((await heard)[0], 'heard');
    await closed;
  }),
  test(
    'a port that a result moves talks to the worker that has made it',
    movesPorts,
    async (stage) => {
      const dispatcher = await stage.ready();
      const { port } = await dispatcher.run('counter', undefined);
      const closed = once(port, 'close');
      for (const number of [1, 41]) {
        const answer = once(port, 'message');
        port.postMessage(number);
        assert.deepEqual((await answer)[0], number + 1);
      }
      port.postMessage(0);
      await closed;
    },
  ),
  test(
    'a port that cannot be moved rejects that call alone with ERR_NOT_CLONEABLE, either way',
    (abilities) => needsNoTransfer(abilities) ?? needsCopies(abilities),
    async (stage) => {
      const dispatcher = await stage.ready();
      const { port1, port2 } = new MessageChannel();
      const moved = { transfer: [port2] };
      const calls = [
        rejectedWith('ERR_NOT_CLONEABLE', dispatcher.run('talk', { port: port2 }, moved)),
        rejectedWith('ERR_NOT_CLONEABLE', dispatcher.run('echo', 'without it', moved)),
        rejectedWith('ERR_NOT_CLONEABLE', dispatcher.run('counter', undefined)),
        dispatcher.run('echo', 1),
      ] as const;
      const [, input, result, one] = await Promise.all(calls);
      assert.match(
        input.message,
        /the input of task `echo`: a MessagePort of `transfer` can be moved between threads only/,
      );
      assert.match(
        result.message,
        /the result of task `counter`: a MessagePort of `transfer` can be moved between threads only/,
      );
      assert.equal(one, 1);
      const closed = once(port1, 'close');
      port2.close();
      await closed;
    },
  ),
  test('capabilities say what the dispatcher does', async (stage) => {
    const dispatcher = await stage.ready();
    const { isolation, hardKill, transfer, streams } = stage.subject.capabilities;
    assert.deepEqual(dispatcher.capabilities, { isolation, hardKill, transfer, streams });
  }),
  test('transfer of nothing, and of undefined, is as none', async (stage) => {
    const dispatcher = await stage.ready();
    const retried = { idempotent: true, retries: 1 };
    assert.equal(await dispatcher.run('echo', 1, { transfer: [] }), 1);
    assert.equal(await dispatcher.run('echo', 2, { transfer: [], ...retried }), 2);
    assert.equal(await dispatcher.run('echo', 3, { transfer: undefined, ...retried }), 3);
  }),
  test("transfer of Node's shared pool, and with retries, is a TypeError in every kind", async (stage) => {
    const dispatcher = await stage.ready();
    // The buffer must be in a fresh pool, because Node 20 recognises only its latest one.
    let bytes = Buffer.from('in the pool');
    while (bytes.byteOffset > Buffer.poolSize / 2) bytes = Buffer.from('in the pool');
    const pooled = { transfer: [bytes.buffer as ArrayBuffer] };
    const buffer = Uint8Array.of(1).buffer;
    const retried = { transfer: [buffer], idempotent: true, retries: 1 };
    for (const [input, options, says] of [
      [bytes, pooled, /shared pool/],
      [buffer, retried, /retries/],
    ] as const) {
      const error = await rejected(dispatcher.run('echo', input, options));
      assert.ok(error instanceof TypeError, `a TypeError, got ${error}`);
      assert.match(error.message, says);
    }
    assert.equal(bytes.toString(), 'in the pool');
    assert.equal(buffer.byteLength, 1);
    assert.equal(await dispatcher.run('echo', 1), 1);
  }),
  test('a result made by transferred() arrives as its value, moved or copied', async (stage) => {
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
  }),
  test('transferred() of a view whose buffer is not named takes no other bytes along', async (stage) => {
    const dispatcher = await stage.ready();
    const { transfer } = stage.subject.capabilities;
    const expected = {
      pooled: { bytes: [...Buffer.from('moved')], kept: [...Buffer.from('kept')] },
      part: { bytes: [2, 3], kept: [1, 2, 3, 4] },
      whole: { bytes: [1, 2, 3, 4], kept: transfer ? [] : [1, 2, 3, 4] },
    };
    for (const kind of ['pooled', 'part', 'whole'] as const) {
      const view = await dispatcher.run('view', kind);
      assert.deepEqual([...view], expected[kind].bytes);
      assert.deepEqual(await dispatcher.run('viewed', undefined), expected[kind].kept, kind);
    }
  }),
];
