// What benches share: interleaved rounds, medians and ratios, tables, and reports between the marks of a README.

export { type BenchFlags, type BenchFlagsOptions, benchFlags } from './bench-flags.ts';
export {
  type Contender,
  type Interleaving,
  interleaved,
  type Measured,
  measureRounds,
  type RoundsOptions,
  type Turn,
} from './interleaved.ts';
export { nextMessage } from './next-message.ts';
export { betweenMarks, circumstances, type Machine, machine, report } from './report.ts';
export { type LoadOrder, type PipelinedLoad, startPipelinedLoad } from './start-pipelined-load.ts';
export { median, medianRatio, quantile, spread } from './statistics.ts';
export { percent, perSecond, table, three, times } from './table.ts';
