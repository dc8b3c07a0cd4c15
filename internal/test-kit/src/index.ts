// What the tests of several packages share: fields of messages of channels, counted steps, a manual clock, polling, processes that live, checks of what workers write, engines, a link that fails, a folder in memory that is full, contexts of requests, a process without descriptors, how many cases a test has, time that stands still
export {
  documentedFields,
  type FieldNames,
  type FieldsOf,
  fieldNames,
  type RecordedFields,
  recordFields,
} from './channel-messages.ts';
export {
  countSteps,
  countStepsOfEach,
  createStepCounter,
  type StepCounter,
} from './count-steps.ts';
export {
  type EngineName,
  type EngineOptions,
  type EngineServer,
  engineProgram,
  engineUrl,
  engineUrlVariable,
  freePort,
  startEngine,
  startNatsServer,
  startRedisServer,
  type TestProgram,
  testProgram,
} from './engines.ts';
export { createLink, type Link, type LinkOptions, type LinkSpeed } from './link.ts';
export { canMountMemory, runWithMemory } from './machine/memory-folder.ts';
export { canTakeDescriptors, takeDescriptors } from './machine/take-descriptors.ts';
export { createManualClock, type ManualClock } from './manual-clock.ts';
export {
  checkHeldOutput,
  checkIgnoredOutput,
  checkLargeAnswer,
  checkReportedOutput,
} from './pool-checks.ts';
export { hasPromtool, promtool } from './promtool.ts';
export { checkSlowReading, reportSlowReading } from './read-slowly.ts';
export {
  CONTEXTS_BY,
  type ContextsBy,
  countHeldContexts,
  runContextProgram,
} from './request-contexts.ts';
export { isFullScale, scaled } from './scaled.ts';
export { gone, lives, turns, until } from './until.ts';
export { withoutTime } from './without-time.ts';
