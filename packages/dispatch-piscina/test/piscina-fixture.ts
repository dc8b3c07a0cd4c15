import { setImmediate } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { createPiscinaDispatcher, type PiscinaOptions } from '../src/index.ts';
import type { Tasks } from './fixtures/tasks.ts';

export const module = new URL('fixtures/tasks.ts', import.meta.url);
export const execArgv = ['--conditions=@ticketing/source'];
const open: { close(): Promise<void> }[] = [];
const escaped: unknown[] = [];
const note = (error: unknown) => escaped.push(error);
const ports = () =>
  process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;
let before = 0;

/** Creates a dispatcher of one thread, closed after the test. */
export function create(options: PiscinaOptions = {}) {
  const dispatcher = createPiscinaDispatcher<Tasks>(module, { max: 1, execArgv, ...options });
  open.push(dispatcher);
  return dispatcher;
}

/** Closes the dispatchers of a file's tests, and checks that no port and no error is left. */
export function leaveNothing(): void {
  beforeAll(() => {
    before = ports();
    process.on('uncaughtException', note).on('unhandledRejection', note);
  });
  afterAll(() => {
    process.off('uncaughtException', note).off('unhandledRejection', note);
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((dispatcher) => dispatcher.close()));
    // Handles are closed at the end of a turn of the event loop.
    await setImmediate();
    await setImmediate();
    expect(ports()).toBe(before);
    expect(escaped).toEqual([]);
  });
}
