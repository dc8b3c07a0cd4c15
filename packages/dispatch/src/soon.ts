// Ways to call back without time, as the platform has them when this is loaded: fake timers replace them in a test, and must not
// stop calls that need no time.

export const nextTick: typeof process.nextTick = process.nextTick;
export const nextMicrotask: typeof queueMicrotask = queueMicrotask;
export const nextImmediate: typeof setImmediate = setImmediate;
