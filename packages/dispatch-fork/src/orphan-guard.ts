import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';

/** Ends the workers when this process dies, whatever way it dies and whatever they do. */
export interface OrphanGuard {
  add(pid: number): void;
  /** To be called as soon as the end of a process is known: another may get its number. */
  remove(pid: number): void;
  /** Ends what is still guarded, and resolves when the guard itself is gone. Idempotent. */
  close(): Promise<void>;
}

// Only this process holds the other end of the shell's standard input. When it dies, even by SIGKILL, the kernel closes
// that end, `read` fails, and the shell kills what is left on its list. A worker cannot watch for that by itself: one in
// a loop without end sees no event. The shell has a session of its own, so that Ctrl-C does not reach it.
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

/** Creates a guard: one shell, started with the first worker. Without a shell it does nothing. */
export function createOrphanGuard(shell: string = '/bin/sh'): OrphanGuard {
  return new ShellGuard(shell);
}

class ShellGuard implements OrphanGuard {
  readonly #shell: string;
  readonly #pids = new Set<number>();
  #reaper: ChildProcess | undefined;
  #closing: Promise<void> | undefined;

  constructor(shell: string) {
    this.#shell = shell;
  }

  add(pid: number): void {
    this.#pids.add(pid);
    // One that was ended by somebody else is replaced, and told everything.
    if (this.#reaper === undefined) this.#start();
    else this.#tell(`+${pid}`);
  }

  remove(pid: number): void {
    if (this.#pids.delete(pid)) this.#tell(`-${pid}`);
  }

  close(): Promise<void> {
    this.#closing ??= new Promise((resolve) => {
      const reaper = this.#reaper;
      if (reaper === undefined) return resolve();
      reaper.once('exit', () => resolve());
      reaper.ref();
      reaper.stdin?.end();
    });
    return this.#closing;
  }

  #start(): void {
    const reaper = spawn(this.#shell, ['-c', REAPER, 'dispatch-orphan-guard'], {
      cwd: '/',
      detached: true,
      env: {},
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const forget = () => {
      if (this.#reaper === reaper) this.#reaper = undefined;
    };
    reaper.on('error', forget).on('exit', forget);
    // Writing to a shell that is gone fails, which its exit tells as well.
    reaper.stdin.on('error', () => {});
    if (reaper.pid === undefined) return;
    this.#reaper = reaper;
    // It ends with this process, so neither may keep this process alive.
    reaper.unref();
    (reaper.stdin as Socket).unref();
    for (const pid of this.#pids) this.#tell(`+${pid}`);
  }

  #tell(line: string): void {
    this.#reaper?.stdin?.write(`${line}\n`);
  }
}
