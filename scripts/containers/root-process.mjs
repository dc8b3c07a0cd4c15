// Starts programs in a root folder as an engine of containers does: as process 1 of a process tree of their own, with mounts of
// their own, a root that can be read only, and as the image's user. Needs root and `unshare` of util-linux.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

/** Mounts what every container has, then what it asks for, and becomes the program. The arguments are those of `argumentsOf`. */
const ENTER = `
set -e
root=$1 access=$2 user=$3 group=$4 folder=$5; shift 5
mount --bind "$root" "$root"
mkdir -p "$root/proc" "$root/dev" "$root$folder"
while [ "$1" != -- ]; do
  kind=$1 from=$2 to=$root$3; shift 3
  case $kind in
    tmpfs) mkdir -p "$to"; mount -t tmpfs -o mode=1777 tmpfs "$to" ;;
    bind) [ -d "$from" ] && mkdir -p "$to" || { mkdir -p "\${to%/*}"; : >> "$to"; }; mount --bind "$from" "$to" ;;
    read) [ -d "$from" ] && mkdir -p "$to" || { mkdir -p "\${to%/*}"; : >> "$to"; }
      mount --bind "$from" "$to"; mount -o remount,bind,ro "$to" ;;
  esac
done
shift
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero full random urandom; do : > "$root/dev/$device"; mount --bind "/dev/$device" "$root/dev/$device"; done
mkdir "$root/dev/shm"; mount -t tmpfs -o mode=1777,size=64m tmpfs "$root/dev/shm"
if [ "$access" = read-only ]; then mount -o remount,bind,ro "$root"; fi
exec setpriv --no-new-privs -- unshare --root="$root" --wd="$folder" --setgid="$group" --setuid="$user" -- "$@"
`;

/** Guards against commands that never end. */
const RUN_TIMEOUT_MS = 300_000;

/** Tells why programs cannot be started in a root folder here; undefined where they can. */
export function whyNoRoots() {
  if (process.platform !== 'linux') return `the platform is ${process.platform}, not Linux`;
  if (process.getuid() !== 0) return 'it is not run by root';
  const { status, stderr, error } = spawnSync(
    'unshare',
    ['--mount', '--pid', '--ipc', '--uts', '--fork', '--mount-proc', 'true'],
    { encoding: 'utf8' },
  );
  return status === 0 ? undefined : `unshare is refused: ${error?.message ?? stderr.trim()}`;
}

/**
 * @typedef {object} RootOptions
 * @property {string} root the folder
 * @property {string} [folder] where the program starts, by its path in the root
 * @property {Record<string, string>} [env] all variables of the program
 * @property {readonly [number, number]} [user] ids of user and group
 * @property {boolean} [readOnly]
 * @property {readonly (readonly ['tmpfs' | 'bind' | 'read', string, string])[]} [mounts] kind, source, path in the root
 */

/** Runs a program to its end; throws with what it printed if it fails. */
export function runInRoot(command, options) {
  const [program, args] = argumentsOf(command, options);
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    env: options.env,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    timeout: RUN_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  if (status !== 0) {
    throw new Error(
      `${command.join(' ')} ended with ${status}: ${error?.message ?? ''}\n${stdout}${stderr}`,
    );
  }
  return stdout;
}

/**
 * Starts a program. `pid` is that of process 1 outside, `output()` what it printed, `ended` resolves with the exit code or the name of
 * a signal once all its processes have ended.
 * @param {readonly string[]} command
 * @param {RootOptions} options
 */
export async function startInRoot(command, options) {
  const [program, args] = argumentsOf(command, options);
  const child = spawn(program, args, { env: options.env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const waiting = new Set();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (data) => {
      output += data;
      for (const check of waiting) check();
    });
  }
  const ended = once(child, 'close').then(([code, signal]) => {
    for (const check of waiting) check();
    return signal ?? code;
  });
  await once(child, 'spawn');
  const container = {
    ended,
    output: () => output,
    /** Resolves once the output matches. */
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (pattern.test(output)) resolve(undefined);
          else if (child.exitCode === null && child.signalCode === null) return;
          else reject(new Error(`${command.join(' ')} ended without ${pattern}:\n${output}`));
          waiting.delete(check);
        };
        waiting.add(check);
        check();
      }),
    get pid() {
      const [pid] = childrenOf(child.pid);
      return pid;
    },
    /** Sends process 1 a signal, as `docker kill --signal` does. */
    signal: (name) => process.kill(container.pid, name),
    /** Ends all processes at once: those of a namespace end with process 1. */
    destroy: () => {
      if (container.pid !== undefined) process.kill(container.pid, 'SIGKILL');
    },
  };
  return container;
}

/** Runs a program beside process 1 of a container, and in its folder, as `docker exec` and health checks do. */
export function execInRoot(pid, command, { env = {}, user = [0, 0], timeoutMs }) {
  const enter = ['--target', String(pid), '--mount', '--pid', '--ipc', '--uts', '--root', '--wd'];
  const as = [`--setgid=${user[1]}`, `--setuid=${user[0]}`];
  return spawnSync('nsenter', [...enter, ...as, '--', ...command], {
    env: { ...env, PATH: env.PATH ?? process.env.PATH },
    encoding: 'utf8',
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
}

/** Returns the processes that a process has started and not yet waited for. */
export function childrenOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .split(' ')
      .filter((each) => each !== '')
      .map(Number);
  } catch {
    return [];
  }
}

/** Returns `{ pid, state, command }` of a process and of all below it. */
export function processesBelow(pid) {
  const found = [];
  const left = [pid];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    try {
      const [, command, state] = /\((.*)\) (\w)/s.exec(readFileSync(`/proc/${next}/stat`, 'utf8'));
      const words = readFileSync(`/proc/${next}/cmdline`, 'utf8').split('\0').filter(Boolean);
      found.push({ pid: next, state, command: words.length > 0 ? words.join(' ') : command });
    } catch {
      continue;
    }
    left.push(...childrenOf(next));
  }
  return found;
}

function argumentsOf(command, options) {
  const { root, folder = '/', user = [0, 0], readOnly = false, mounts = [] } = options;
  const namespaces = ['--mount', '--pid', '--ipc', '--uts', '--fork'];
  const access = readOnly ? 'read-only' : 'writable';
  const where = [root, access, ...user.map(String), folder];
  return [
    '/usr/bin/unshare',
    [
      ...namespaces,
      '--',
      '/bin/sh',
      '-c',
      ENTER,
      'sh',
      ...where,
      ...mounts.flat(),
      '--',
      ...command,
    ],
  ];
}
