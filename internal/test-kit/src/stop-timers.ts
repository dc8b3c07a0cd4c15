/** Calls that let time pass, or the event loop turn. */
const OF_THE_PLATFORM = ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'];

/**
 * Lets no timer, tick or microtask of the platform run, as the fake timers of a test do that are never advanced. Promise jobs run.
 *
 * @returns a function that puts the platform's own back
 */
export function stopTimers(): () => void {
  const none = (): object => ({ unref() {}, ref() {} });
  const replaced = OF_THE_PLATFORM.map((name) => replace(globalThis, name, none));
  replaced.push(replace(process, 'nextTick', none));
  return () => {
    for (const putBack of replaced) putBack();
  };
}

function replace(owner: object, name: string, by: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(owner, name) as PropertyDescriptor;
  Object.defineProperty(owner, name, { configurable: true, writable: true, value: by });
  return () => void Object.defineProperty(owner, name, before);
}
