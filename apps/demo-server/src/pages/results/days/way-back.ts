import type { Journey, JourneyPair, Money } from '@ticketing/core';
import type { RoundTripAnswer } from '../../../search/search-answer.ts';
import { html, type SafeHtml } from '../../frame/html.ts';
import { icon } from '../../frame/icons.ts';
import { countText, dayText, priceText } from '../../journey/display-texts.ts';
import type { Names } from '../../journey/names.ts';

/** Search of a way out, and the page's words for it. */
export interface WayBackContext {
  readonly address: URLSearchParams;
  readonly names: Names;
  lowestPrice(journeys: readonly Journey[]): Money | undefined;
}

/** Returns the address of the way back, as a search of its own. */
function wayBackAddress(address: URLSearchParams): string {
  const {
    origin = '',
    destination = '',
    returnDate = '',
    returnTime = '',
    ...rest
  } = Object.fromEntries(address);
  const {
    date: _date,
    time: _time,
    arriveBy: _arriveBy,
    page: _page,
    fresh: _fresh,
    ...kept
  } = rest;
  const back = { ...kept, origin: destination, destination: origin, date: returnDate };
  return `/?${new URLSearchParams({ ...back, ...(returnTime && { time: returnTime }) })}`;
}

/** Renders the way back beside a way out: its least price, the sum of both, and the cheapest offer for both together. */
export function wayBack(
  { outbound, inbound, pairs = [] }: RoundTripAnswer,
  { address, names, lowestPrice }: WayBackContext,
): SafeHtml {
  const { lang } = names;
  const day = dayText(address.get('returnDate') ?? '');
  const [out, back] = [outbound, inbound].map(({ journeys }) => lowestPrice(journeys)) as [
    Money | undefined,
    Money | undefined,
  ];
  const sum =
    out && back && out.currency === back.currency
      ? { ...out, amount: out.amount + back.amount }
      : undefined;
  const [pair] = pairs;
  const found = inbound.journeys.length;
  return html`<p><a class="trip-back" href="${wayBackAddress(address)}">Back on ${day}</a> ${
    back === undefined
      ? html`<span>${found > 0 ? `${countText(found, 'journey')}, no price` : 'No trains'}</span>`
      : html`<b class="num">from ${priceText(back, lang)}</b> <span>${countText(found, 'journey')}</span>`
  }</p>${
    sum !== undefined &&
    html`<p class="trip-sum">Both ways as two tickets <b class="num">from ${priceText(sum, lang)}</b></p>`
  }${pair !== undefined && pairLine(pair, { outbound, inbound, sum, names })}`;
}

function pairLine(
  { outbound: out, inbound: back, offer }: JourneyPair,
  {
    outbound,
    inbound,
    sum,
    names,
  }: Pick<RoundTripAnswer, 'outbound' | 'inbound'> & {
    readonly sum: Money | undefined;
    readonly names: Names;
  },
): SafeHtml {
  const price = offer.converted ?? offer.total;
  const timeOf = (journeys: readonly Journey[], id: string): string =>
    journeys.find((one) => one.id === id)?.departure.iso.slice(11, 16) ?? '';
  const isLess = sum !== undefined && sum.currency === price.currency && price.amount < sum.amount;
  return html`<p class="trip-pair">${icon('swap')} Both ways together with ${names.carriers.get(offer.seller) ?? offer.seller}
<b class="num${isLess && ' low'}">${priceText(price, names.lang)}</b> <span>out ${timeOf(outbound.journeys, out)}, back ${timeOf(inbound.journeys, back)}</span></p>`;
}
