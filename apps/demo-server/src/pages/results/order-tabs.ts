import { JOURNEY_ORDERS, type Journey, type JourneyOrder } from '@ticketing/core';
import { html, type SafeHtml } from '../frame/html.ts';
import { durationText } from '../journey/display-texts.ts';
import { leastPrice } from '../journey/price-texts.ts';
import type { Leading } from './listed-journeys.ts';

const TABS = [
  { order: 'best', name: 'Best', leader: 'best', says: 'weighs price, time and changes together' },
  { order: 'price', name: 'Cheapest', leader: 'cheapest', says: undefined },
  { order: 'duration', name: 'Fastest', leader: 'fastest', says: undefined },
] as const;

/** Renders the three orders that people mostly want, each with what comes first by it. */
export function orderTabs(search: {
  readonly leading: Leading;
  readonly order: JourneyOrder;
  /** A place without a journey is being filled. */
  readonly isAsking: boolean;
  readonly lang?: string | undefined;
  addressOf(order: JourneyOrder): string;
}): SafeHtml {
  const { leading, order, isAsking, lang, addressOf } = search;
  return html`<nav class="tabs" aria-label="Order">${TABS.map(
    ({ order: own, name, leader, says }) =>
      html`<a class="tab" href="${addressOf(own)}" data-order="${own}"${own === order && html` aria-current="true"`}${says !== undefined && html` title="${name} ${says}"`}>${name}${says !== undefined && html`<span class="sr"> ${says}</span>`}${figure(leading[leader], isAsking, lang)}</a>`,
  )}</nav>`;
}

function figure(journey: Journey | undefined, isAsking: boolean, lang?: string): SafeHtml {
  if (journey === undefined) {
    return isAsking
      ? html`<b><span class="skeleton"></span></b>`
      : html`<b aria-hidden="true">–</b>`;
  }
  return html`<b class="num">${leastPrice(journey, lang)?.text ?? '–'}<small>${durationText(journey.durationMinutes)}</small></b>`;
}

const NAMES: Readonly<Record<JourneyOrder, string>> = {
  best: 'Best',
  price: 'Cheapest',
  duration: 'Fastest',
  departure: 'Departure',
  arrival: 'Arrival',
  transfers: 'Fewest changes',
  co2: 'Least CO₂',
};

/** Renders every order as a list to choose from. `fields`: the rest of the address, for browsers without script. */
export function orderSelect(
  order: JourneyOrder,
  fields: readonly (readonly [name: string, value: string])[] = [],
): SafeHtml {
  const orders = [...JOURNEY_ORDERS].sort((a, b) => PLACES.indexOf(a) - PLACES.indexOf(b));
  return html`<form class="order" action="/" method="get">${fields.map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<label><span class="muted">Order</span> <select name="order" id="order">${orders.map(
    (one) => html`<option value="${one}"${one === order && html` selected`}>${NAMES[one]}`,
  )}</select></label><noscript><button class="button small">Sort</button></noscript></form>`;
}

const PLACES = Object.keys(NAMES);

/** Reads an order of an address. */
export function orderOf(text: string | null | undefined, usual: JourneyOrder): JourneyOrder {
  return JOURNEY_ORDERS.find((one) => one === text) ?? usual;
}
