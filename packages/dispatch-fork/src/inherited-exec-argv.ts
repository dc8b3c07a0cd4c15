// What is said to the main program alone: a program on the command line (a child would run it again, without end),
// watching, testing, and the inspector, whose port is taken.
const OWN = [
  /^-(?:e|p|pe|i|c)$/,
  /^--(?:eval|print|interactive|check|run|input-type|debug-port)(?:=|$)/,
  /^--(?:watch|test|inspect)(?:[-=]|$)/,
];

/**
 * Gives those of a program's Node options that its workers need as well, such as `--conditions` and `--import`: all but
 * `--eval`, `--print`, `--check`, `--interactive`, `--run`, `--input-type`, `--watch…`, `--test…` and `--inspect…`.
 */
export function inheritedExecArgv(execArgv: readonly string[]): string[] {
  const inherited: string[] = [];
  let keep = true;
  for (const argument of execArgv) {
    // What does not begin with a dash is the value of the option before.
    if (argument.startsWith('-')) keep = !OWN.some((pattern) => pattern.test(argument));
    if (keep) inherited.push(argument);
  }
  return inherited;
}
