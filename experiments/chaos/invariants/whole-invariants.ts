import type { Observed } from '../events/event.ts';
import type { Breach, Invariant } from './invariant.ts';

/** Growth that is none: a caller's pools and V8 take some of what they may have. */
const GROWTH = {
  /** Connections to carriers that are kept a few seconds. */
  descriptors: 8,
  threads: 4,
  memoryShare: 0.5,
  memoryBytes: 64 * 1024 * 1024,
} as const;

export const nothingGrows: Invariant = {
  id: 'nothing-grows',
  claim: 'Processes, descriptors, threads, memory and files are as before',
  check(timeline) {
    const [before] = timeline.of('observed').filter(({ when }) => when === 'before');
    const after = timeline.of('observed').findLast(({ when }) => when === 'after');
    if (before === undefined || after === undefined) return [];
    return growth(before.state, after.state).map((what) => ({ atMs: after.atMs, key: what, what }));
  },
};

/** Returns each growth from one state to another as a text. */
export function growth(before: Observed, after: Observed): readonly string[] {
  const roles = new Set([...Object.keys(before.processes), ...Object.keys(after.processes)]);
  const processes = [...roles].flatMap((role) => {
    const [was = 0, is = 0] = [before.processes[role], after.processes[role]];
    return was === is ? [] : [`processes of role ${role}: ${was} before, ${is} after`];
  });
  const figures: readonly (readonly [string, number, number, number])[] = [
    ['descriptors', open(before), open(after), open(before) + GROWTH.descriptors],
    ['threads', before.threads, after.threads, before.threads + GROWTH.threads],
    [
      'bytes of memory',
      before.memoryBytes,
      after.memoryBytes,
      before.memoryBytes * (1 + GROWTH.memoryShare) + GROWTH.memoryBytes,
    ],
    ['files', files(before).length, files(after).length, files(before).length],
  ];
  const grown = figures.flatMap(([name, was, is, most]) =>
    is <= most ? [] : [`${name}: ${was} before, ${is} after`],
  );
  const kinds = Object.keys(after.descriptors)
    .map(
      (kind) => [kind, (after.descriptors[kind] ?? 0) - (before.descriptors[kind] ?? 0)] as const,
    )
    .filter(([, more]) => more > 0)
    .map(([kind, more]) => `${more} x ${kind}`);
  const descriptors = grown.some((text) => text.startsWith('descriptors'))
    ? [`descriptors added: ${kinds.join()}`]
    : [];
  const added = after.files.filter((file) => !before.files.includes(file));
  const names = grown.some((text) => text.startsWith('files'))
    ? [`files added: ${added.join()}`]
    : [];
  return [...processes, ...grown, ...descriptors, ...names];
}

/** Returns the files, without the marks that a socket gets when requests first come to it, and that go with it. */
function files({ files: all }: Observed): readonly string[] {
  return all.filter((file) => {
    const [socket = '', ...marks] = file.split('.taken');
    return marks.length === 0 || !all.includes(socket);
  });
}

/** Returns the number of descriptors. */
export function open({ descriptors }: Observed): number {
  return Object.values(descriptors).reduce((sum, count) => sum + count, 0);
}

export const nothingLeft: Invariant = {
  id: 'nothing-left',
  claim: 'After SIGTERM no process, file or socket is left',
  check: (timeline) =>
    timeline
      .of('stopped')
      .flatMap(({ atMs, program, left }): Breach[] =>
        left.length === 0
          ? []
          : [{ atMs, key: program, what: `${program} left ${left.join(', ')}` }],
      ),
};

export const exitsWithZero: Invariant = {
  id: 'exits-with-0',
  claim: 'SIGTERM ends each program with exit code 0',
  check: (timeline) =>
    timeline
      .of('stopped')
      .flatMap(({ atMs, program, exit, tookMs }): Breach[] =>
        exit === 0
          ? []
          : [{ atMs, key: program, what: `${program} ended with ${exit} after ${tookMs} ms` }],
      ),
};

export const primaryLives: Invariant = {
  id: 'primary-lives',
  claim: 'The primary outlives every fault of its parts',
  check: (timeline) =>
    timeline.of('died').map(({ atMs, program, exit }) => {
      return { atMs, key: program, what: `${program} ended by itself with ${exit}` };
    }),
};
