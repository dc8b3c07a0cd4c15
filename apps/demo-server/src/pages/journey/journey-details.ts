import type { Journey } from '@ticketing/core';
import { html, type SafeHtml } from '../frame/html.ts';
import { co2Sentence } from './co2-texts.ts';
import { clockOf, type Names, nameOf } from './names.ts';
import { remarkLines } from './remark-lines.ts';
import { rideList } from './ride-list.ts';
import { ticketBoxes } from './ticket-boxes.ts';

/** Renders the legs and offers of a journey. */
export function journeyDetails(journey: Journey, names: Names): SafeHtml {
  const { legs, conflicts = [], sources, remarks } = journey;
  const co2 = co2Sentence(journey);
  return html`<div class="inside"><div>${remarkLines(remarks)}${rideList(legs, names)}</div>
<div class="tickets">${ticketBoxes(journey, names)}${conflicts.map(
    ({ field, source, value }) =>
      html`<p class="seen">${nameOf(names.carriers, source)} lists ${field === 'departure' ? 'this train' : 'its arrival'} at ${clockOf(value)}.</p>`,
  )}<p class="seen">Listed by ${sources.map((source) => nameOf(names.carriers, source)).join(', ')}.</p>${
    co2 !== undefined && html`<p class="seen">${co2}</p>`
  }</div></div>`;
}
