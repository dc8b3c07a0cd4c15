import { readFileSync } from 'node:fs';
import os from 'node:os';

/** Limits of the cores of a process. */
interface Platform {
  /** Cores that the platform counts. */
  readonly cores: number;
  /** Returns a file's text; `undefined` without the file. */
  read(path: string): string | undefined;
}

const thisPlatform: Platform = {
  get cores() {
    return os.availableParallelism();
  },
  read(path) {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return undefined;
    }
  },
};

const ROOT = '/sys/fs/cgroup';
// Not made of `ROOT`, so that bundlers drop it where it is not used.
const V1_ROOTS = ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup/cpu,cpuacct'];

/**
 * Returns how many cores this process may use, at least 1: as many as the platform counts, or fewer if its control group has a
 * CPU limit, rounded down. `availableParallelism` of Node 20 ignores such a limit.
 */
export function usableCores({ cores, read }: Platform = thisPlatform): number {
  let usable = cores;
  for (const folder of cpuFolders(read('/proc/self/cgroup') ?? '')) {
    const limit =
      coresOfMax(read(`${folder}/cpu.max`)) ??
      coresOfQuota(read(`${folder}/cpu.cfs_quota_us`), read(`${folder}/cpu.cfs_period_us`));
    if (limit !== undefined) usable = Math.min(usable, Math.floor(limit));
  }
  return Math.max(1, usable);
}

/**
 * Returns the folders of the control groups in `/proc/self/cgroup` that may limit the CPU, and of all groups above them. In a
 * container the path may be that of the host, and the group's own files are in the root.
 *
 * @see https://docs.kernel.org/admin-guide/cgroup-v2.html
 */
export function cpuFolders(cgroups: string): string[] {
  const folders = new Set<string>();
  for (const line of cgroups.split('\n')) {
    const [, controllers, path = ''] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    const roots =
      controllers === '' ? [ROOT] : controllers?.split(',').includes('cpu') ? V1_ROOTS : [];
    const names = path.split('/').filter((name) => name !== '');
    for (const root of roots) {
      for (let depth = names.length; depth >= 0; depth--) {
        folders.add([root, ...names.slice(0, depth)].join('/'));
      }
    }
  }
  return [...folders];
}

/** Returns the cores that a `cpu.max` of version 2 allows; `undefined` without a limit. */
export function coresOfMax(text: string | undefined): number | undefined {
  const [quota, period] = (text ?? '').trim().split(/\s+/);
  return coresOfQuota(quota, period ?? '100000');
}

/** Returns the cores that `cpu.cfs_quota_us` and `cpu.cfs_period_us` of version 1 allow; `undefined` without a limit, which is -1. */
export function coresOfQuota(
  quota: string | undefined,
  period: string | undefined,
): number | undefined {
  const [quotaUs, periodUs] = [Number.parseInt(quota ?? '', 10), Number.parseInt(period ?? '', 10)];
  return quotaUs > 0 && periodUs > 0 ? quotaUs / periodUs : undefined;
}
