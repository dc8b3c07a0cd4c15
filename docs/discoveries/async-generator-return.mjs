// Shows that return() of an async generator waits for a pending next(), and that an iterator need not.
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';

const never = new Promise(() => {});
async function* generator() {
  yield await never;
}
const iterator = {
  next: () => never,
  return: () => Promise.resolve({ done: true, value: undefined }),
};

for (const [name, events] of [
  ['generator:', generator()],
  ['iterator: ', iterator],
]) {
  void events.next();
  const left = events.return().then(() => 'return() settled');
  const seen = await Promise.race([left, delay(100, 'return() still waits after 100 ms')]);
  console.log(name, seen);
  assert.equal(seen.includes('settled'), events === iterator);
}
