import type { Measured } from '../src/rounds/measure-rounds.ts';

/** The measurements, stored in `results.json`. */
export interface Findings {
  readonly workers: number;
  readonly clients: number;
  readonly measured: readonly Measured[];
}

/** The compared subjects, by the names in the tables. */
export const SUBJECTS = {
  cluster: '`--accept cluster`',
  socket: '`--accept socket --route-by none`',
  socketByHeader: '`--accept socket`, by header',
  passthru: '`--accept passthru --route-by none`',
  passthruByHeader: '`--accept passthru`, by header',
  seedCluster: "cluster, seed's",
  seedSocket: "socket, seed's",
  seedPassthru: "passthru, seed's",
} as const;
export type SubjectName = keyof typeof SUBJECTS;

/** The request, and whether connections are kept. */
export interface Load {
  readonly name: string;
  readonly bodyBytes?: number;
  readonly reuse: boolean;
}

const MIB = 2 ** 20;

/** The seed's four cells, and small requests. */
export const LOADS: readonly Load[] = [true, false].flatMap((reuse) => [
  { name: 'POST 10 MB', bodyBytes: 10 * MIB, reuse },
  { name: 'POST 1 MB', bodyBytes: MIB, reuse },
  { name: 'GET /compute', reuse },
]);

export function settingOf({ name, reuse }: Load): string {
  return `${name}, ${reuse ? 'kept connections' : 'new connections'}`;
}

/** The seed's own figures, requests per second. */
export const CLAIMED: Readonly<
  Record<string, { cluster: number; socket: number; passthru: number }>
> = {
  'POST 10 MB, new connections': { cluster: 374, socket: 167, passthru: 87 },
  'POST 1 MB, new connections': { cluster: 1397, socket: 258, passthru: 578 },
  'POST 10 MB, kept connections': { cluster: 461, socket: 301, passthru: 100 },
  'POST 1 MB, kept connections': { cluster: 3059, socket: 2662, passthru: 680 },
};

/** Where the seed's socket mode loses most to its cluster. */
export const LARGEST_CLAIM = 'POST 1 MB, new connections';
