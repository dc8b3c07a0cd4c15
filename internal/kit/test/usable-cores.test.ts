import os from 'node:os';
import { expect, test } from 'vitest';
import {
  coresOfMax,
  coresOfQuota,
  cpuFolders,
  usableCores,
} from '../src/processes/usable-cores.ts';

test.each<[string | undefined, number | undefined]>([
  ['200000 100000\n', 2],
  ['150000 100000\n', 1.5],
  ['50000\n', 0.5],
  ['max 100000\n', undefined],
  ['0 100000', undefined],
  ['', undefined],
  ['nothing to read', undefined],
  [undefined, undefined],
])('coresOfMax() of %j is %j', (text, cores) => expect(coresOfMax(text)).toBe(cores));

test.each<[string | undefined, string | undefined, number | undefined]>([
  ['400000\n', '100000\n', 4],
  ['25000\n', '50000\n', 0.5],
  ['-1\n', '100000\n', undefined],
  ['100000\n', '0\n', undefined],
  ['100000\n', undefined, undefined],
  [undefined, '100000\n', undefined],
])('coresOfQuota() of %j in %j is %j', (quota, period, cores) =>
  expect(coresOfQuota(quota, period)).toBe(cores),
);

test('cpuFolders() has the group and those above it, of both versions, and no other controller', () => {
  expect(cpuFolders('0::/system.slice/app.service\n')).toEqual([
    '/sys/fs/cgroup/system.slice/app.service',
    '/sys/fs/cgroup/system.slice',
    '/sys/fs/cgroup',
  ]);
  expect(cpuFolders('12:memory:/docker/a\n4:cpu,cpuacct:/docker/a\n1:cpuset:/\n')).toEqual([
    '/sys/fs/cgroup/cpu/docker/a',
    '/sys/fs/cgroup/cpu/docker',
    '/sys/fs/cgroup/cpu',
    '/sys/fs/cgroup/cpu,cpuacct/docker/a',
    '/sys/fs/cgroup/cpu,cpuacct/docker',
    '/sys/fs/cgroup/cpu,cpuacct',
  ]);
  expect(cpuFolders('')).toEqual([]);
  expect(cpuFolders('no line of a control group')).toEqual([]);
});

/** The cores of a machine with 8, in control groups of these files. */
function coresIn(cgroups: string, files: Readonly<Record<string, string>>): number {
  const all = { '/proc/self/cgroup': cgroups, ...files } as Record<string, string>;
  return usableCores({ cores: 8, read: (path) => all[path] });
}

test.each<[string, string, Readonly<Record<string, string>>, number]>([
  ['no control group', '', {}, 8],
  ['no limit', '0::/\n', { '/sys/fs/cgroup/cpu.max': 'max 100000\n' }, 8],
  ['a container', '0::/\n', { '/sys/fs/cgroup/cpu.max': '200000 100000\n' }, 2],
  ['two cores and a half', '0::/\n', { '/sys/fs/cgroup/cpu.max': '250000 100000\n' }, 2],
  ['half a core', '0::/\n', { '/sys/fs/cgroup/cpu.max': '50000 100000\n' }, 1],
  ['more than there are', '0::/\n', { '/sys/fs/cgroup/cpu.max': '6400000 100000\n' }, 8],
  [
    'the smallest of nested groups',
    '0::/pod/app\n',
    {
      '/sys/fs/cgroup/pod/cpu.max': '300000 100000\n',
      '/sys/fs/cgroup/pod/app/cpu.max': '500000 100000\n',
    },
    3,
  ],
  [
    'version 1',
    '4:cpu,cpuacct:/docker/a\n',
    {
      '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '400000\n',
      '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
    },
    4,
  ],
])('usableCores(): %s', (_, cgroups, files, cores) => {
  expect(coresIn(cgroups, files)).toBe(cores);
});

test('usableCores() of this process is at most what the platform counts', () => {
  expect(usableCores()).toBeGreaterThanOrEqual(1);
  expect(usableCores()).toBeLessThanOrEqual(os.availableParallelism());
});
