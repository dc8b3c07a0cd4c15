// What the programs of this repository share: flags, help, progress on a terminal

export {
  type Command,
  commandLine,
  type Environment,
  exitCodeOf,
  FlagError,
  type FlagSpec,
  type FlagSpecs,
  flag,
  HelpRequest,
  hiddenValue,
  readCommandLine,
  type Setting,
  type Settings,
  type Stated,
  shownValue,
  stated,
} from './command-line.ts';
export {
  anyText,
  httpUrl,
  integerFrom,
  listOf,
  oneOf,
  onOff,
  share,
  someOf,
  trueFalse,
  type ValueReader,
  wordOr,
} from './flag-values.ts';
export { hideSecrets, hideSecretsOf } from './hide-secrets.ts';
export { bar, createProgress, type Progress, type ProgressOptions } from './progress.ts';
