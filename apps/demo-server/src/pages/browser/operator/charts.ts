import type { History } from '../../../figures/trend-schemas.ts';
import type { OperatorView } from '../../../figures/view-schema.ts';
import { chartFigure, pointedAt } from '../../charts/chart-figure.ts';
import { charts } from '../../charts/charts.ts';
import { patch } from '../dom/patch.ts';

/** The charts of a page. The one under the pointer has all of them say how it was at that time. */
export interface Charts {
  update(view: OperatorView, history: History): void;
}

/** Units of a drawing are a sixteenth of the text size of the page. */
const UNITS = 16;
/** As far from the window a chart is drawn, so that it is there when it is scrolled to. */
const NEAR = '300px';

/** Finds the places of the charts on the page. */
export function createCharts(page: ParentNode): Charts {
  const places = charts.flatMap((chart) => {
    const host = page.querySelector<HTMLElement>(`[data-chart="${chart.title}"]`);
    return host === null ? [] : [{ chart, host, width: 0, isNear: false }];
  });
  let latest: { readonly view: OperatorView; readonly history: History } | undefined;
  let pointedTime: number | undefined;
  let isDue = false;

  function draw(): void {
    isDue = false;
    if (latest === undefined) return;
    const { view, history } = latest;
    const at = pointedTime === undefined ? -1 : history.at.indexOf(pointedTime);
    for (const { chart, host, width, isNear } of places) {
      if (width === 0 || !isNear) continue;
      patch(host, chartFigure(chart, { view, history, width, pointed: at < 0 ? undefined : at }));
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
  // A drawing that nobody sees is not made; tables have its figures for those who do not see.
  const nearness = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const place = places.find(({ host }) => host === target);
        if (place !== undefined) place.isNear = isIntersecting;
      }
      drawSoon();
    },
    { rootMargin: NEAR },
  );
  for (const place of places) {
    sizes.observe(place.host);
    nearness.observe(place.host);
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
