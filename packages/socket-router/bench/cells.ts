/** A kind of load. */
export interface Cell {
  readonly title: string;
  /** 0: a GET. */
  readonly bodyBytes: number;
  readonly connections: number;
  /** Connections are kept; otherwise each request has one of its own. */
  readonly reuse: boolean;
}

const MB = 1024 * 1024;

export const CELLS: readonly Cell[] = [
  { title: 'GET, kept', bodyBytes: 0, connections: 64, reuse: true },
  { title: 'GET', bodyBytes: 0, connections: 64, reuse: false },
  { title: '1 MB, kept', bodyBytes: MB, connections: 16, reuse: true },
  { title: '1 MB', bodyBytes: MB, connections: 16, reuse: false },
  { title: '10 MB, kept', bodyBytes: 10 * MB, connections: 8, reuse: true },
  { title: '10 MB', bodyBytes: 10 * MB, connections: 8, reuse: false },
];
