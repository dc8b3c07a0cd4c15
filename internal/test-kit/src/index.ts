// What the tests of several packages share: a clock that a test moves, waiting for state without an event, processes that live
export { createManualClock, type ManualClock } from './manual-clock.ts';
export { gone, lives } from './processes.ts';
export { turns, until } from './until.ts';
