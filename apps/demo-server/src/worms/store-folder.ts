import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'ticketing-demo-';
const OWNER = 'owner.json';
/** Positions in `/proc/<pid>/stat` after the name of the program, which may contain blanks. */
const STATE = 0;
const START = 19;

/** Process that a folder belongs to: pids are used again, and other containers have pids of their own. */
interface Owner {
  readonly pid: number;
  /** Start of the process, in ticks since that of the machine. */
  readonly start: string;
  readonly pidNamespace: string;
}

/**
 * Makes a temporary folder for a store, and removes the folders of processes that were killed, which could not do so. A folder whose owner is not
 * known to have ended stays, as do all where there is no `/proc`.
 */
export function makeStoreFolder(parent: string = tmpdir()): string {
  for (const name of readdirSync(parent)) {
    const folder = join(parent, name);
    if (name.startsWith(PREFIX) && isForsaken(folder)) remove(folder);
  }
  const folder = mkdtempSync(join(parent, PREFIX));
  const owner = ownerOf(process.pid);
  if (owner !== undefined) writeFileSync(join(folder, OWNER), JSON.stringify(owner));
  return folder;
}

function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Another process that starts is removing it, too.
  }
}

function isForsaken(folder: string): boolean {
  let owner: Owner;
  try {
    owner = JSON.parse(readFileSync(join(folder, OWNER), 'utf8'));
  } catch {
    return false;
  }
  const self = ownerOf(process.pid);
  if (self === undefined || owner.pidNamespace !== self.pidNamespace) return false;
  return ownerOf(owner.pid)?.start !== owner.start;
}

/** Returns what tells a process apart; undefined for one that has ended, and where there is no `/proc`. */
function ownerOf(pid: number): Owner | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const start = fields[START];
    if (start === undefined || fields[STATE] === 'Z') return undefined;
    return { pid, start, pidNamespace: readlinkSync('/proc/self/ns/pid') };
  } catch {
    return undefined;
  }
}
