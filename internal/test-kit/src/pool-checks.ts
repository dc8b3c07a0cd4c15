import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';

type Output =
  | 'ignore'
  | ((chunk: Buffer, from: { readonly stream: string; readonly workerId: number }) => void);

/** Creates a dispatcher of one worker; task `say` writes its input to standard output and to standard error. */
type CreateSaying = (options: { readonly output: Output }) => {
  run(task: 'say', text: string): Promise<unknown>;
  close(): Promise<unknown>;
};

/** Checks that `output: 'ignore'` drops what a worker writes: nothing of it is written here. */
export async function checkIgnoredOutput(create: CreateSaying): Promise<void> {
  const seen: string[] = [];
  const streams = [process.stdout, process.stderr];
  const own = streams.map((stream) => stream.write);
  for (const [index, stream] of streams.entries()) {
    stream.write = ((...args: Parameters<typeof stream.write>) => {
      seen.push(String(args[0]));
      return own[index]?.apply(stream, args);
    }) as typeof stream.write;
  }
  try {
    const dispatcher = create({ output: 'ignore' });
    await dispatcher.run('say', 'not to be seen');
    await dispatcher.close();
  } finally {
    for (const [index, stream] of streams.entries())
      stream.write = own[index] as typeof stream.write;
  }
  assert.deepEqual(
    seen.filter((text) => text.includes('not to be seen')),
    [],
  );
}

/** Checks that a function as `output` gets what a worker writes, by stream and worker. */
export async function checkReportedOutput(create: CreateSaying): Promise<void> {
  const said: Record<string, string> = {};
  const dispatcher = create({
    output: (chunk, { stream, workerId }) => {
      const from = `${stream} ${workerId}`;
      said[from] = (said[from] ?? '') + String(chunk);
    },
  });
  await dispatcher.run('say', 'héllo\n');
  await dispatcher.close();
  assert.deepEqual(said, { 'stdout 1': 'héllo\n', 'stderr 1': 'héllo\n' });
}

/** Creates a dispatcher of one worker; task `flood` writes as many chunks of 64 KiB as its input asks for. */
type CreateFlooding = (options: { readonly output: (chunk: Buffer) => Promise<void> }) => {
  run(task: 'flood', chunks: number): Promise<unknown>;
  close(): Promise<unknown>;
};

/** Checks that a worker that writes 16 MiB waits for a slow reader: no more than one chunk is here. */
export async function checkHeldOutput(create: CreateFlooding): Promise<void> {
  let bytes = 0;
  let held = 0;
  let most = 0;
  const dispatcher = create({
    output: async (chunk) => {
      bytes += chunk.length;
      held += 1;
      most = Math.max(most, held);
      await setImmediate();
      held -= 1;
    },
  });
  await dispatcher.run('flood', 256);
  await dispatcher.close();
  assert.deepEqual([bytes, most], [256 * 64 * 1024, 1]);
}

/** A dispatcher whose task `bytes` returns as many bytes as its input asks for, and whose task `json` its input as JSON. */
interface Returning {
  run(task: 'bytes', count: number): Promise<{ readonly length: number }>;
  run(task: 'json', value: object): Promise<unknown>;
}

/** Checks that 5 MB arrive, and JSON as bytes. */
export async function checkLargeAnswer(dispatcher: Returning): Promise<void> {
  assert.equal((await dispatcher.run('bytes', 5_000_000)).length, 5_000_000);
  assert.equal(String(await dispatcher.run('json', { a: [1] })), '{"a":[1]}');
}
