// Waits with a guard against what never comes.

const GUARD_MS = 30_000;
const ASK_AGAIN_MS = 20;

/** Resolves as the promise does; rejects if it is late. */
export async function within(promise, what) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(lateness(what)), GUARD_MS);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves once the condition holds. What changes in /proc, or begins to listen, can only be asked for again. */
export async function until(what, condition) {
  const givenUpAt = performance.now() + GUARD_MS;
  while (!(await condition())) {
    if (performance.now() > givenUpAt) throw lateness(what);
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
  }
}

const lateness = (what) => new Error(`No ${what} within ${GUARD_MS} ms`);
