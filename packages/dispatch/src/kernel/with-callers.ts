/**
 * Rejects with the error, after the names of the functions that wait for it have been added to its stack: the worker's
 * frames tell what failed, these tell who asked.
 *
 * V8 knows who awaits a promise only while one of the jobs that lead there runs, so this function is one of them: the call is
 * resolved with its promise, which takes two jobs to be seen. Only failures pay for it.
 */
export async function withCallers(error: Error): Promise<never> {
  await undefined;
  await undefined;
  try {
    const here = new Error('callers').stack ?? '';
    const callers = here.split('\n').filter((line) => /^\s+at async /.test(line));
    if (callers.length > 0) error.stack = [error.stack, ...callers].join('\n');
  } catch {
    // A frozen error, or a stack of a strange kind: it stays as it is.
  }
  throw error;
}
