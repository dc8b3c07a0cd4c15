// Those that say how modules are found and read, and how warnings and failures are shown. A thread refuses those that
// are of the whole process (`--expose-gc`, `--title`), which hold in it anyway.
const OF_A_THREAD =
  /^(?:-[Cr]|--(?:conditions|import|require|loader|experimental-loader|preserve-symlinks|preserve-symlinks-main|enable-source-maps|disable-warning|no-warnings|no-deprecation|trace-warnings|trace-deprecation|trace-uncaught|throw-deprecation|unhandled-rejections|(?:no-)?experimental-[a-z-]*(?:types|modules?|module|require)))(?:=|$)/;

/**
 * Gives the Node options of a thread: `undefined`, by which it has those of this program, unless some are added.
 * Then those of this program that a thread takes, and after them the added ones.
 */
export function threadExecArgv(
  execArgv: readonly string[],
  added: readonly string[],
): string[] | undefined {
  if (added.length === 0) return undefined;
  const inherited: string[] = [];
  let keep = false;
  for (const argument of execArgv) {
    // What does not begin with a dash is the value of the option before.
    if (argument.startsWith('-')) keep = OF_A_THREAD.test(argument);
    if (keep) inherited.push(argument);
  }
  return [...inherited, ...added];
}
