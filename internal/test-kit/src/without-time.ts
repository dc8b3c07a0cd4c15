/** Calls that let time pass, or the event loop turn. */
const TIMERS = ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'];
/** Turns of the event loop to wait for an answer: enough to load a module, and no answer comes later. */
const MOST_TURNS = 1000;

/**
 * Runs something while no timer, tick or microtask of the platform runs, as under the fake timers of a test that are never advanced.
 * Then puts the platform's own back; ticks that others asked for meanwhile, as streams of the test runner, run after that.
 *
 * @throws Error, as a rejection, if there is no answer
 */
export async function withoutTime<T>(run: () => Promise<T>): Promise<T> {
  const { setImmediate: soon } = globalThis;
  const { nextTick } = process;
  const none = (): object => ({ unref() {}, ref() {} });
  const ticks: Parameters<typeof nextTick>[] = [];
  const replaced = TIMERS.map((name) => replace(globalThis, name, none));
  const hold = (...tick: Parameters<typeof nextTick>): void => void ticks.push(tick);
  replaced.push(replace(process, 'nextTick', hold));
  let isOver = false;
  const late = async (): Promise<never> => {
    for (let turn = 0; turn < MOST_TURNS && !isOver; turn += 1) {
      await new Promise<void>((resolve) => soon(resolve));
    }
    throw new Error('Cannot answer without timers');
  };
  try {
    return await Promise.race([run(), late()]);
  } finally {
    isOver = true;
    for (const putBack of replaced) putBack();
    for (const tick of ticks) nextTick(...tick);
  }
}

function replace(owner: object, name: string, by: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(owner, name) as PropertyDescriptor;
  Object.defineProperty(owner, name, { configurable: true, writable: true, value: by });
  return () => void Object.defineProperty(owner, name, before);
}
