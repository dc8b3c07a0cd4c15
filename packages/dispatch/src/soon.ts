// The platform's ways to call back without a delay, taken when this module is loaded: the fake timers of a test replace them later,
// and would stop calls that need no time.

export const nextTick: typeof process.nextTick = process.nextTick;
export const nextMicrotask: typeof queueMicrotask = queueMicrotask;
export const nextImmediate: typeof setImmediate = setImmediate;
