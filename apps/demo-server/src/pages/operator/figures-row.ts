import type { OperatorView } from '../../figures/view-schema.ts';
import { ratesOf, savedShare } from '../../trends/view-rates.ts';
import { html, type SafeHtml } from '../frame/html.ts';
import { decimal, ms, percent, whole } from '../words/amounts.ts';

/** A figure at the top of the page. */
interface Figure {
  readonly name: string;
  readonly value: string;
  /** Note beside the value, smaller. */
  readonly note?: string | false;
}

/** Returns the six most important figures of a view; of none, their names. */
export function topFigures(view: OperatorView | undefined): readonly Figure[] {
  const rates = view && ratesOf(view);
  const servers = view?.processes.filter(({ kind }) => kind === 'server');
  const inFlight = servers?.reduce((sum, { inFlight: own = 0 }) => sum + own, 0);
  const [asked = 0, led = 0] = [rates?.perSecond('asked'), rates?.perSecond('led')];
  const http = rates?.perSecond('http');
  // No request has failed yet: there is no such counter.
  const errors = rates?.perSecond('errors') ?? (http === undefined ? undefined : 0);
  const deadlineMs = view?.modes.deadlineMs;
  return [
    { name: 'Requests/s', value: decimal(http) },
    { name: 'In flight', value: whole(inFlight) },
    { name: 'Answer, p50', value: ms(rates?.quantile('http', 0.5)) },
    {
      name: 'Answer, p99',
      value: ms(rates?.quantile('http', 0.99)),
      note: deadlineMs !== undefined && `deadline ${ms(deadlineMs)}`,
    },
    { name: 'Errors/s', value: decimal(errors) },
    {
      name: 'Calls saved',
      value: percent(rates && savedShare(rates)),
      note: asked > led && `${decimal(asked - led)}/s`,
    },
  ];
}

/** Renders the figures. */
export function figuresRow(view?: OperatorView): SafeHtml {
  return html`${topFigures(view).map(
    ({ name, value, note }) =>
      html`<div><dt>${name}</dt><dd><span data-figure="${name}">${value}</span> <small>${note}</small></dd></div>`,
  )}`;
}
