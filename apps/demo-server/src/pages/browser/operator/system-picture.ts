import type { History } from '../../../figures/trend-schemas.ts';
import type { OperatorView } from '../../../figures/view-schema.ts';
import { flowCards } from '../../picture/flow-cards.ts';
import { folded } from '../../picture/layout/folded.ts';
import { layoutOf } from '../../picture/layout/layout-of.ts';
import { mapShapes, steady } from '../../picture/map-shapes.ts';
import { partTable } from '../../picture/part-table.ts';
import { partsOf, type SystemModel } from '../../picture/system/system-model.ts';
import { systemOf } from '../../picture/system/system-of.ts';
import { patch } from '../dom/patch.ts';
import { createDrawing } from './drawing.ts';
import { createPartDrawer, type PartActions } from './part-drawer.ts';

/** The picture of the system, its table, and the drawer of its parts. */
export interface SystemPicture {
  /** Shows a view. `history` is that of the charts. */
  update(view: OperatorView, history: History): void;
}

/** Wires the picture that the server has rendered in `host`. */
export function createSystemPicture(
  host: HTMLElement,
  { actions }: { readonly actions: PartActions },
): SystemPicture {
  const [map, flow, table, place, dialog] = [
    find(host, 'svg.map'),
    find(host, '.flow'),
    find<HTMLDetailsElement>(host, '.as-table'),
    find(host, '.as-table .scroll'),
    find<HTMLDialogElement>(host, '#node'),
  ];
  const draw = createDrawing(map);
  const drawer = createPartDrawer(dialog, actions);
  const isWide = matchMedia('(min-width: 60em)');
  let latest: { readonly view: OperatorView; readonly history: History } | undefined;
  /** The highest rate of an edge that has been seen. */
  let most = 0;
  /** Rates by which edges are drawn. */
  let rates: ReadonlyMap<string, number | undefined> = new Map();

  function show(): void {
    if (latest === undefined) return;
    const { view, history } = latest;
    const model = systemOf(view);
    const drawn = folded(model);
    most = Math.max(most, ...drawn.edges.map(({ rate = 0 }) => rate));
    // The other one is hidden.
    if (isWide.matches) {
      const layout = layoutOf(drawn);
      const edges = steady(layout.edges, rates, most);
      rates = new Map(edges.map(({ from, to, rate }) => [`${from} ${to}`, rate]));
      draw(mapShapes({ ...layout, edges }, most));
    }
    if (!isWide.matches) patch(flow, flowCards(drawn, most));
    if (table.open) patch(place, partTable(model));
    drawer.update({ view, history, parts: allParts(model, drawn) });
  }

  isWide.addEventListener('change', show);
  table.addEventListener('toggle', show);
  host.addEventListener('click', (event) => {
    const part = (event.target as Element).closest('[data-part]')?.getAttribute('data-part');
    if (part === null || part === undefined) return;
    event.preventDefault();
    drawer.open(part);
    show();
  });
  return {
    update(view, history) {
      latest = { view, history };
      show();
    },
  };
}

/** Every part that can be opened: drawn ones, and parts that a drawn one stands for. */
function allParts(model: SystemModel, drawn: SystemModel) {
  return new Map([...partsOf(drawn), ...partsOf(model)].map((part) => [part.id, part]));
}

function find<E extends Element>(host: Element, selector: string): E {
  const found = host.querySelector<E>(selector);
  if (found === null) throw new Error(`Cannot show the system: no element ${selector}`);
  return found;
}
