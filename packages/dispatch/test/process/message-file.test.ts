import { closeSync, fstatSync, openSync, statSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { MessageFile, openMessageFile } from '../../src/process/message-file.ts';

const fds: number[] = [];
afterAll(() => {
  for (const fd of fds) closeSync(fd);
});

function opened(fd: number | undefined): number {
  if (fd === undefined) throw new Error('no file');
  fds.push(fd);
  return fd;
}

/** Both sides of a file; by itself in the folder of temporary files, which every platform has. */
function bothSides(areaBytes: number): { parent: MessageFile; worker: MessageFile } {
  const fd = opened(openMessageFile(process.env['TMPDIR'] ?? '/tmp'));
  return {
    parent: new MessageFile(fd, 'parent', areaBytes),
    worker: new MessageFile(fd, 'worker', areaBytes),
  };
}

test('the file has no name, and one that cannot be opened is none', () => {
  const fd = opened(openMessageFile(process.env['TMPDIR'] ?? '/tmp'));
  expect(fstatSync(fd)).toMatchObject({ nlink: 0, size: 0 });
  expect(openMessageFile('/dev/null')).toBeUndefined();
});

test('each side reads what the other has written, whatever is read and confirmed in between', () => {
  const area = 1000;
  const step = fc.record({
    from: fc.constantFrom('parent', 'worker'),
    what: fc.constantFrom('write', 'write', 'read', 'confirm'),
    textBytes: fc.integer({ min: 0, max: 700 }),
    bodyBytes: fc.integer({ min: 1, max: 400 }),
    asString: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const sides = bothSides(area);
      const sent = { parent: [] as unknown[], worker: [] as unknown[] };
      const unconfirmed = { parent: 0, worker: 0 };
      let fill = 0;
      for (const { from, what, textBytes, bodyBytes, asString } of steps) {
        const to = from === 'parent' ? 'worker' : 'parent';
        if (what === 'confirm') {
          const read = sides[to].unreported;
          if (read !== undefined) sides[from].confirm(read);
          unconfirmed[from] = sent[from].length;
        } else if (what === 'read') {
          const [first] = sent[from] as { at: number; text: Buffer; body: Uint8Array }[];
          if (first === undefined) continue;
          sent[from].shift();
          const { at, text, body } = first;
          const read = sides[to].read(at, text.byteLength, body.byteLength);
          expect(read).toEqual({ text, body });
          expect(read.body.buffer.byteLength).toBe(body.byteLength);
        } else {
          fill += 1;
          const text = Buffer.alloc(textBytes, fill);
          const body = new Uint8Array(bodyBytes).fill(fill + 1);
          const at = sides[from].write(
            asString ? text.toString('latin1') : text,
            body,
            textBytes + bodyBytes,
          );
          // With nothing unread all of the area is free.
          if (unconfirmed[from] === 0) expect(at === 0).toBe(textBytes + bodyBytes <= area);
          if (at === undefined) continue;
          unconfirmed[from] += 1;
          sent[from].push({ at, text, body });
        }
      }
    }),
    { numRuns: 300 },
  );
});

test('a message keeps its room until the other side has reported that it was read', () => {
  const { parent, worker } = bothSides(100);
  const write = (size: number) => parent.write('x'.repeat(size), undefined, size);
  expect([write(60), write(40), write(1)]).toEqual([0, 60, undefined]);
  worker.read(0, 60, 0);
  expect(write(30)).toBeUndefined();
  expect([worker.unreported, worker.unreported]).toEqual([1, undefined]);
  parent.confirm(1);
  // One byte stays free before the oldest message: otherwise a full ring would look like an empty one.
  expect([write(60), write(59)]).toEqual([undefined, 0]);
  worker.read(60, 40, 0);
  worker.read(0, 59, 0);
  parent.confirm(worker.unreported ?? 0);
  expect(write(100)).toBe(0);
});

test.runIf(process.platform === 'linux')(
  'where no memory is left messages have no room, from then on',
  () => {
    const full = openSync('/dev/full', 'r+');
    fds.push(full);
    const file = new MessageFile(full, 'parent');
    expect(file.write('text', undefined, 4)).toBeUndefined();
    expect(file.bytesWritten).toBe(0);
  },
);

test('a place without so many bytes, and a report of more messages than there were, are errors', () => {
  const { parent, worker } = bothSides(100);
  parent.write('four', undefined, 4);
  const none = 'Cannot read messages: no file has';
  expect(() => worker.read(0, 5, 0)).toThrow(`${none} 5 bytes at 0`);
  expect(() => worker.read(98, 2, 1)).toThrow(`${none} 3 bytes at 98`);
  expect(() => worker.read(0, 0, 2 ** 32 - 1)).toThrow(`${none} 4294967295 bytes at 0`);
  expect(() => parent.confirm(2)).toThrow(
    'Cannot read messages: 2 are reported as read, of 1 in the file',
  );
  expect(worker.unreported).toBeUndefined();
});

test.runIf(process.platform === 'linux')('by itself the file is in memory', () => {
  const fd = opened(openMessageFile());
  expect(fstatSync(fd).dev).toBe(statSync('/dev/shm').dev);
});
