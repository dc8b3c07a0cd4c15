import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { DESCRIPTORS_OF_PROCESS, requireDescriptors } from '@ticketing/kit';

/** Ends the workers when this process dies, however it dies and whatever they do. */
export interface OrphanGuard {
  add(pid: number): void;
  /** Removes a process; the owner calls it as soon as the process has ended, because another may get its number. */
  remove(pid: number): void;
  /** Ends the processes that are still guarded, and resolves when the guard itself is gone. Idempotent. */
  close(): Promise<void>;
}

// Only this process holds the other end of the shell's standard input. When it dies, even by SIGKILL, the kernel closes
// that end, `read` fails, and the shell kills what is left on its list. A worker cannot watch for that by itself: in an
// endless loop it sees no event. The shell has a session of its own, so that Ctrl-C does not reach it.
const REAPER = `
trap '' INT TERM HUP
pids=' '
while read -r line; do
  pid=\${line#?}
  case $line in
    +*) pids="$pids$pid " ;;
    -*) pids="\${pids%% $pid *} \${pids#* $pid }" ;;
  esac
done
for pid in $pids; do kill -9 "$pid" 2>/dev/null; done
`;

/**
 * Creates a guard: one shell, started with the first worker. It does nothing on Windows, or where there is no shell; idle
 * workers end there all the same, because they see that their channel has closed.
 */
export function createOrphanGuard(shell: string = '/bin/sh'): OrphanGuard {
  const pids = new Set<number>();
  let reaper: ChildProcess | undefined;
  let closing: Promise<void> | undefined;
  if (process.platform === 'win32') {
    return { add() {}, remove() {}, close: () => Promise.resolve() };
  }
  return {
    add(pid) {
      pids.add(pid);
      // A shell that another process ended is replaced, and gets the whole list.
      if (reaper === undefined) start();
      else tell(`+${pid}`);
    },
    remove(pid) {
      if (pids.delete(pid)) tell(`-${pid}`);
    },
    close() {
      closing ??= new Promise((resolve) => {
        if (reaper === undefined) return resolve();
        reaper.once('exit', () => resolve());
        reaper.ref();
        reaper.stdin?.end();
      });
      return closing;
    },
  };

  function start(): void {
    try {
      requireDescriptors(DESCRIPTORS_OF_PROCESS);
    } catch {
      // The next worker is guarded with those before it.
      return;
    }
    const child = spawn(shell, ['-c', REAPER, 'dispatch-orphan-guard'], {
      cwd: '/',
      detached: true,
      env: {},
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const forget = () => {
      if (reaper === child) reaper = undefined;
    };
    child.on('error', forget).on('exit', forget);
    // One that could not be started may have no streams.
    if (child.pid === undefined) return;
    // Writing to a shell that is gone fails; its exit reports that as well.
    child.stdin.on('error', () => {});
    reaper = child;
    // It ends with this process, so neither may keep this process alive.
    child.unref();
    // A stream of Bun lacks the method.
    (child.stdin as Partial<Socket>).unref?.();
    for (const pid of pids) tell(`+${pid}`);
  }

  function tell(line: string): void {
    reaper?.stdin?.write(`${line}\n`);
  }
}
