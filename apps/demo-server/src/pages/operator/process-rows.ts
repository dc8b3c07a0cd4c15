import type { OperatorView } from '../../figures/view-schema.ts';

type Process = OperatorView['processes'][number];

/** A row of the tree of processes. */
interface ProcessRow {
  readonly id: string;
  /** 0 for the primary, 2 for a worker of a server process. */
  readonly depth: 0 | 1 | 2;
  /** Condition of the process, or else the state that it reports. */
  readonly state: string;
  /** Absent for a dead one. */
  readonly process?: Process;
  readonly modes: OperatorView['modes'];
}

/** Returns the processes as a tree, dead ones in their places. */
export function processRows({ processes, health, modes }: OperatorView): ProcessRow[] {
  const conditions = health.filter(({ subject }) => subject === 'process');
  const rows: ProcessRow[] = processes.map((process) => ({
    id: process.id,
    depth: depthOf(process),
    state: conditions.find(({ id }) => id === process.id)?.state ?? process.state,
    process,
    modes,
  }));
  for (const { id, state } of conditions) {
    if (state !== 'dead' || rows.some((row) => row.id === id)) continue;
    const owner = id.split('/')[0] ?? id;
    const last = rows.findLastIndex((row) => row.id === owner || row.id.startsWith(`${owner}/`));
    const row = { id, depth: id.includes('/') ? 2 : 1, state, modes } as const;
    rows.splice(last < 0 ? rows.length : last + 1, 0, row);
  }
  return rows;
}

/** Returns the name of a process below that of its owner, and the part before it. */
export function shortName(
  id: string,
  depth: number,
): { readonly before: string; readonly name: string } {
  const at = depth < 2 ? 0 : id.indexOf('/') + 1;
  return { before: id.slice(0, at), name: id.slice(at) };
}

function depthOf({ id, kind }: Process): 0 | 1 | 2 {
  return kind === 'primary' ? 0 : id.includes('/task') ? 2 : 1;
}
