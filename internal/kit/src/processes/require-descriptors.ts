import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

/** Descriptors for the pipes of one process, of both sides, and for the pipe by which it reports that it runs. */
export const DESCRIPTORS_OF_PROCESS = 16;

/**
 * Checks that this process can open some more files now.
 *
 * Before a process is started it avoids a leak: one that fails in the middle for want of descriptors leaves its pipes open, and Node
 * offers no way to close them.
 *
 * @throws Error with the platform's code, `EMFILE` or `ENFILE`
 */
export function requireDescriptors(count: number): void {
  const opened: number[] = [];
  try {
    while (opened.length < count) opened.push(openSync(devNull, 'r'));
  } catch (cause) {
    const { code } = cause as { readonly code?: string };
    // Whatever else is wrong with the device says nothing of descriptors.
    if (code !== 'EMFILE' && code !== 'ENFILE') return;
    const why = `fewer than ${count} file descriptors are free; raise their limit (\`ulimit -n\`)`;
    throw Object.assign(new Error(`Cannot start a process: ${why}`, { cause }), { code });
  } finally {
    for (const file of opened) closeSync(file);
  }
}
