import process from 'node:process';

/** Code of the error: a worker that fails to start by it fails so each time. */
export const NESTED_WORKERS = 'ERR_NESTED_WORKERS';

/** Names the modules that this process and those that started it are loading as workers, the outermost first, one per line. */
const VARIABLE = 'TICKETING_WORKER_MODULES';

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the environment variable by which a worker knows that it runs `module`, and the libraries in it too. */
export function nestingVariable(
  module: URL | string,
  environment: Environment = process.env,
): Readonly<Record<string, string>> {
  const outer = environment[VARIABLE];
  const own = String(module);
  return { [VARIABLE]: outer === undefined ? own : `${outer}\n${own}` };
}

/**
 * Refuses workers of `module` while this program was started as such a worker and has not begun to serve: its workers would
 * start workers again, without end. That happens where a module of tasks makes its own dispatcher, and where the program that
 * was started in a worker's place is the main one, as in a single executable.
 *
 * @throws TypeError of code {@link NESTED_WORKERS}, which names the cure
 */
export function refuseNesting(
  action: string,
  module: URL,
  cure: string,
  environment: Environment = process.env,
): void {
  if (environment[VARIABLE]?.split('\n').includes(module.href) !== true) return;
  const error = new TypeError(
    `Cannot ${action}: this program was started as a worker of the same \`module\`, and its own workers would start more without end; ${cure}`,
  );
  throw Object.assign(error, { code: NESTED_WORKERS });
}

/** Returns true until {@link endNesting} if this process was started as a worker by {@link nestingVariable}. */
export function isStartedAsWorker(environment: Environment = process.env): boolean {
  return environment[VARIABLE] !== undefined;
}

/** Ends that: this process serves, and what it starts from now on is started by a call, which ends. */
export function endNesting(environment: Record<string, string | undefined> = process.env): void {
  delete environment[VARIABLE];
}
