import type { NewEvent } from '../figures/operator-event.ts';
import type { ServerView } from '../figures/view-schema.ts';

/** Ids of the carriers whose circuit is not closed in some process. */
export type OpenCircuits = ReadonlySet<string>;

/**
 * Returns the carriers whose circuits are open in a view, and an event for each that opened or closed since the view before. Circuits of
 * workers and hosts count too, which publish nothing here. A carrier counts as closed when it is in every process.
 */
export function guardEvents(
  { at, carriers, modes }: ServerView,
  before: OpenCircuits,
): { readonly open: OpenCircuits; readonly events: readonly NewEvent[] } {
  const isOpen = ({ guard }: ServerView['carriers'][number]): boolean =>
    guard !== undefined && guard.circuit !== 'closed';
  const rows = carriers.filter(isOpen);
  const open = new Set(rows.map(({ id }) => id));
  const nameOf = (id: string): string => modes.carriers[id] ?? id;
  const of = (carrier: string) => ({ at, process: '', carrier });
  const opened = [...open].filter((id) => !before.has(id));
  // Without a row of it there is no process that knows.
  const closed = [...before].filter((id) => !open.has(id) && carriers.some((row) => row.id === id));
  return {
    open: new Set([...open, ...[...before].filter((id) => !closed.includes(id))]),
    events: [
      ...opened.map((id): NewEvent => {
        const processes = rows.filter((row) => row.id === id).map(({ process }) => process);
        const text = `Circuit of ${nameOf(id)} opened`;
        const detail = `it failed too often, in ${processes.join(', ')}`;
        return { ...of(id), kind: 'guard-opened', severity: 'bad', text, detail };
      }),
      ...closed.map((id): NewEvent => {
        const text = `Circuit of ${nameOf(id)} closed`;
        return { ...of(id), kind: 'guard-closed', severity: 'note', text };
      }),
    ],
  };
}
