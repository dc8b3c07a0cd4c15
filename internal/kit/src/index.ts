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
export { CodedError, isMarked, mark } from './errors/coded-error.ts';
export { createErrorCodec, type ErrorCodec } from './errors/error-codec.ts';
export { refuseLostObjects } from './errors/lost-objects.ts';
export type { EventChannel } from './event-channel.ts';
export { Fifo } from './lists/fifo.ts';
export { type Linked, LinkedList } from './lists/linked-list.ts';
export { describeValue, wrongValue } from './options/describe-value.ts';
export { editDistance, nearest } from './options/edit-distance.ts';
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
} from './options/option-rules.ts';
export { inheritedExecArgv, inheritedNodeOptions } from './processes/inherited-exec-argv.ts';
export {
  inspectorOption,
  inspectorUrl,
  opensInspector,
  watchInspector,
} from './processes/inspectors.ts';
export { leaveSignalsToParent } from './processes/leave-signals-to-parent.ts';
export { mallocVariables } from './processes/malloc-variables.ts';
export {
  endNesting,
  isStartedAsWorker,
  NESTED_WORKERS,
  nestingVariable,
  refuseNesting,
} from './processes/nested-workers.ts';
export { DESCRIPTORS_OF_PROCESS, requireDescriptors } from './processes/require-descriptors.ts';
export { StderrTail } from './processes/stderr-tail.ts';
export { openUnlinkedFile } from './processes/unlinked-file.ts';
export { usableCores } from './processes/usable-cores.ts';
export { type WorkerProgram, workerProgram } from './processes/worker-program.ts';
export { hashText, heaviest, rendezvousWeight } from './rendezvous.ts';
export {
  type AbortWaiter,
  createSignalListeners,
  type SignalListeners,
} from './signal-listeners.ts';
export { type TraceChannel, traceChannel } from './trace-channel.ts';
