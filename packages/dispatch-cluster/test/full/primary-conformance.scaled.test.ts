import type { Capabilities, Dispatcher, PoolOptions } from '@ticketing/dispatch';
import { createDispatcher } from '@ticketing/dispatch/transport';
import {
  type ConformanceTasks,
  conformanceCases,
  splitCases,
} from '@ticketing/dispatch-conformance';
import { scaled } from '@ticketing/test-kit';
import { test } from 'vitest';
import { createPrimaryTransport } from '../../src/primary/primary-dispatcher.ts';
import { isToPrimary } from '../../src/primary/primary-messages.ts';
import { PrimarySessions } from '../../src/primary/primary-sessions.ts';

/** Both ends are in this process; messages become copies on their way, as over a channel. */
function create(module: URL, options: PoolOptions): Dispatcher<ConformanceTasks> {
  const sessions = new PrimarySessions(undefined);
  let listener: ((message: unknown) => void) | undefined;
  // One module per session, so that tasks can tell which session runs them.
  const peerOf = (workerId: number) => ({
    workerId,
    send(message: unknown) {
      const copy: unknown = structuredClone(message);
      setImmediate(() => listener?.(copy));
    },
  });
  const transport = createPrimaryTransport({
    pid: process.pid,
    send(message) {
      const isOpening = message.act === 'open' && message.module === undefined;
      const copy: unknown = structuredClone(
        isOpening ? { ...message, module: module.href } : message,
      );
      setImmediate(() => {
        if (isToPrimary(copy)) sessions.receive(peerOf(copy.session), copy);
      });
    },
    listen(given) {
      listener = given;
      return () => {
        listener = undefined;
        void sessions.close();
      };
    },
  });
  return createDispatcher<ConformanceTasks>(transport, options);
}

function casesFor(isolation: Capabilities['isolation']) {
  const capabilities = { isolation, hardKill: false, transfer: false, streams: true };
  return conformanceCases({ kind: 'primary', capabilities, givesWorkerData: false, create });
}

// In these cases a task ends or stops the primary, which here is the process of the test.
const fatal = new Set(['the task would stop or end the caller too', 'workers are not processes']);
const together = casesFor('none');

const cases = casesFor('process').map(({ name, skip, run }, index) => {
  const inOneProcess = together[index]?.skip;
  const reason = /different pids|the slot of its worker/.test(name)
    ? 'there is one primary'
    : (skip ?? (fatal.has(inOneProcess ?? '') ? inOneProcess : undefined));
  return { name, skip: reason, run };
});

/** Long cases, and cases of the kernel that show little of the primary: `npm test` leaves them out. */
const { others } = splitCases(cases, [
  'start: a module that never starts',
  'order:',
  'capacity:',
  'map ends:',
  'recycle:',
  'values: values of',
  'copies: an object of the platform',
  'streams: 10,000 items',
  'streams: timeoutMs',
  'timeouts: each limit',
  'values: a Buffer of 10 MB',
  'values: rawJson of 5 MB',
  'abort: 10,000 calls',
  'queue: a thousand calls',
  'queue: calls with',
]);

for (const { name, skip, run } of scaled({ fast: others, full: cases })) {
  const title = skip === undefined ? name : `${name} (skipped: ${skip})`;
  test(title, { skip: skip !== undefined }, run);
}
