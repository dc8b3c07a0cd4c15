import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { leaveSignalsToParent } from '../src/processes/leave-signals-to-parent.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

test('three signals have a listener until the end, SIGTERM is reported each time', () => {
  const host = new EventEmitter();
  let terminated = 0;
  const end = leaveSignalsToParent(
    () => {
      terminated += 1;
    },
    host as unknown as NodeJS.Process,
  );
  for (const signal of [...SIGNALS, 'SIGTERM']) expect(host.emit(signal)).toBe(true);
  expect(terminated).toBe(2);
  end();
  for (const signal of SIGNALS) expect(host.emit(signal)).toBe(false);
});
