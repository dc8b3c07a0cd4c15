import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type EngineServer, engineProgram, startNatsServer } from '@ticketing/test-kit';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { DISPATCH_NAMES, dispatchKind } from '../src/flags/dispatch-kinds.ts';

/** Path of nats-server; without it nothing that needs one is tested, which one line says. */
const program = engineProgram('nats');

/** Tests that need nats-server. */
export const testWithNats = test.skipIf(program === undefined);
export const describeWithNats = describe.skipIf(program === undefined);

/** Every value of `--dispatch` that can be tested here. */
export const testedDispatches = DISPATCH_NAMES.filter(
  (name) => program !== undefined || dispatchKind(name).inFleet !== true,
);
export const hasNats = program !== undefined;

/** One server for all tests of a file or group. */
export function sharedNats(): () => EngineServer {
  let server: EngineServer;
  beforeAll(async () => {
    if (program !== undefined) server = await startNatsServer();
  });
  afterAll(() => server?.close());
  return () => server;
}

/** Name of a fleet that no other test has. */
export function newFleet(): string {
  return `test-${randomBytes(4).toString('hex')}`;
}

/** Pids of the processes that a process has started, and those that they have, on Linux. */
export function descendantsOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    const own = text.split(' ').filter(Boolean).map(Number);
    return own.flatMap((child) => [child, ...descendantsOf(child)]);
  } catch {
    return [];
  }
}
