import { counted } from '../../words/amounts.ts';
import { stateMarks, worstOf } from '../../words/state-marks.ts';
import { sumOf } from '../system/reading.ts';
import type { Column, Edge, Part, SystemModel } from '../system/system-model.ts';

/** Parts of a column that are drawn. */
const MOST = 8;

/** Returns a model with at most eight parts in a column, and one that stands for all others. */
export function folded(model: SystemModel): SystemModel {
  const standing = new Map<string, string>();
  const columns = model.columns.map((column): Column => {
    const { kind, parts } = column;
    if (parts.length <= MOST || kind === 'carriers') return column;
    const hidden = parts.slice(MOST);
    const more = moreOf(kind, hidden);
    for (const { id } of hidden) standing.set(id, more.id);
    return { ...column, parts: [...parts.slice(0, MOST), more] };
  });
  if (standing.size === 0) return model;
  const edges = new Map<string, Edge>();
  for (const edge of model.edges) {
    const [from, to] = [standing.get(edge.from) ?? edge.from, standing.get(edge.to) ?? edge.to];
    const key = `${from} ${to}`;
    const before = edges.get(key);
    const rates = [before?.rate, edge.rate].filter((rate) => rate !== undefined);
    const rate = rates.length === 0 ? undefined : sumOf(rates, (each) => each);
    edges.set(key, { ...edge, from, to, rate });
  }
  return { columns, edges: [...edges.values()] };
}

function moreOf(kind: Column['kind'], parts: readonly Part[]): Part {
  const all = parts.flatMap((part) => [part, ...(part.workers ?? [])]);
  const state = worstOf(all.map((part) => part.state));
  const { glyph, word } = stateMarks[state];
  const many = all.filter((part) => part.state === state).length;
  const isWell = state === 'healthy' || state === 'unknown';
  return {
    id: `more ${kind}`,
    kind: 'more',
    name: `and ${parts.length} more`,
    state,
    rate: sumOf(parts, ({ rate }) => rate),
    lines: isWell ? [] : [`${glyph} ${many} ${word}`],
    counts: {},
    figures: () => [['Parts', counted(parts.length, 'part')]],
    workers: parts,
    row: '',
  };
}
