// What the tests of several packages share: a manual clock, polling for state that emits no event, whether a process runs
export { createManualClock, type ManualClock } from './manual-clock.ts';
export { gone, lives, turns, until } from './until.ts';
