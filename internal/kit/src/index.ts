// What several packages need and each of them bundles: option rules, coded errors, an injected clock, a queue, a list, signal listeners, signals of a group, a circuit of restarts, usable cores, a file without a name
export {
  ADVISED_LE_MS,
  type BucketCounter,
  type BucketCounts,
  createBucketCounts,
} from './bucket-counts.ts';
export { type Circuit, createCircuit, type Restart, restartRules } from './circuit.ts';
export { type Clock, systemClock } from './clock.ts';
export { closeAfterFirstStreams, type ServerSession } from './close-after-first-streams.ts';
export { CodedError, isMarked, mark } from './coded-error.ts';
export { describeValue, wrongValue } from './describe-value.ts';
export { editDistance, nearest } from './edit-distance.ts';
export { createErrorCodec, type ErrorCodec } from './error-codec.ts';
export { inheritedExecArgv, inheritedNodeOptions } from './inherited-exec-argv.ts';
export { inspectorOption, inspectorUrl, opensInspector, watchInspector } from './inspectors.ts';
export { leaveSignalsToParent } from './leave-signals-to-parent.ts';
export { Fifo } from './lists/fifo.ts';
export { type Linked, LinkedList } from './lists/linked-list.ts';
export { refuseLostObjects } from './lost-objects.ts';
export { mallocVariables } from './malloc-variables.ts';
export { endNesting, NESTED_WORKERS, nestingVariable, refuseNesting } from './nested-workers.ts';
export {
  aFlag,
  aFunction,
  aName,
  anObject,
  aShare,
  aSignal,
  atLeast,
  aUrl,
  between,
  checkByRules,
  type Filled,
  MAX_TIMER_MS,
  milliseconds,
  namesNear,
  oneOf,
  optionsOf,
  orFunction,
  orInfinity,
  type Rule,
  type Rules,
  required,
  resolveByRules,
  showValue,
  texts,
  unknownOption,
  whole,
  wholeBetween,
  withMethods,
  wordOr,
  wrongOption,
} from './option-rules.ts';
export { hashText, rendezvousWeight } from './rendezvous.ts';
export {
  type AbortWaiter,
  createSignalListeners,
  type SignalListeners,
} from './signal-listeners.ts';
export { StderrTail } from './stderr-tail.ts';
export type { TraceChannel } from './trace-channel.ts';
export { openUnlinkedFile } from './unlinked-file.ts';
export { usableCores } from './usable-cores.ts';
export { type WorkerProgram, workerProgram } from './worker-program.ts';
