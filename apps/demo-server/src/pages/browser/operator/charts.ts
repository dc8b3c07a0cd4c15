import type { History } from '../../../figures/trend-schemas.ts';
import type { OperatorView } from '../../../figures/view-schema.ts';
import { chartFigure, pointedAt } from '../../charts/chart-figure.ts';
import { charts } from '../../charts/charts.ts';
import { patch } from '../dom/patch.ts';
import { createSight } from '../dom/sight.ts';

/** The charts of a page. All of them show their values at the time under the pointer. */
export interface Charts {
  update(view: OperatorView, history: History): void;
}

/** Units of a drawing are a sixteenth of the text size of the page. */
const UNITS = 16;

/** Finds the places of the charts on the page. */
export function createCharts(page: ParentNode): Charts {
  const places = charts.flatMap((chart) => {
    const host = page.querySelector<HTMLElement>(`[data-chart="${chart.title}"]`);
    return host === null ? [] : [{ chart, host, width: 0, isDrawn: false }];
  });
  let latest: { readonly view: OperatorView; readonly history: History } | undefined;
  let pointedTime: number | undefined;
  let isDue = false;

  function draw(): void {
    isDue = false;
    if (latest === undefined) return;
    const { view, history } = latest;
    const at = pointedTime === undefined ? -1 : history.at.indexOf(pointedTime);
    for (const place of places) {
      const { chart, host, width, isDrawn } = place;
      // Tables have its figures for those who do not see.
      if (width === 0 || (isDrawn && !sight.has(host))) continue;
      patch(host, chartFigure(chart, { view, history, width, pointed: at < 0 ? undefined : at }));
      place.isDrawn = true;
    }
  }

  /** Draws once in the next frame, however often it is asked before. */
  function drawSoon(): void {
    if (!isDue) requestAnimationFrame(draw);
    isDue = true;
  }

  const sizes = new ResizeObserver((entries) => {
    const em = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / UNITS;
    for (const { target, contentRect } of entries) {
      const place = places.find(({ host }) => host === target);
      if (place !== undefined) place.width = Math.floor(contentRect.width / em);
    }
    drawSoon();
  });
  const sight = createSight(
    places.map(({ host }) => host),
    drawSoon,
  );
  for (const place of places) {
    sizes.observe(place.host);
    place.host.addEventListener('pointermove', ({ clientX }) => {
      const plot = place.host.querySelector('.plot')?.getBoundingClientRect();
      if (latest === undefined || plot === undefined) return;
      const x = ((clientX - plot.left) / plot.width) * place.width;
      const at = pointedAt({ history: latest.history, width: place.width }, x);
      pointedTime = at === undefined ? undefined : latest.history.at[at];
      drawSoon();
    });
    place.host.addEventListener('pointerleave', () => {
      pointedTime = undefined;
      drawSoon();
    });
  }

  return {
    update(view, history) {
      latest = { view, history };
      draw();
    },
  };
}
