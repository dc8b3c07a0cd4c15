import { addDays, type DayState, type Money } from '@ticketing/core';
import { html, type SafeHtml } from '../../frame/html.ts';
import { icon } from '../../frame/icons.ts';
import { dayText, priceText } from '../../journey/display-texts.ts';

/** Days of the strip, and the number of them before the day that was asked for. */
const SHOWN = 7;
const BEFORE = 2;

/** Days that can be asked for. */
export interface DayBounds {
  /** Today. */
  readonly first: string;
  readonly last: string;
}

/** Returns seven days around one, within the days that can be asked for. */
export function daysAround(day: string, { first, last }: DayBounds): string[] {
  const [earliest = day] = [addDays(day, -BEFORE), addDays(last, 1 - SHOWN)].sort();
  const start = earliest < first ? first : earliest;
  return Array.from({ length: SHOWN }, (_, at) => addDays(start, at));
}

/** Renders days as links, each with the lowest price that is known of it. */
export function dayStrip(strip: {
  readonly day: string;
  readonly bounds: DayBounds;
  /** Lowest prices by day. */
  readonly prices: ReadonlyMap<string, Money>;
  /** States of days without a price. Default: none is known. */
  readonly states?: ReadonlyMap<string, DayState> | undefined;
  /** The price of the day is not known yet. */
  readonly isAsking: boolean;
  readonly lang?: string | undefined;
  addressOf(day: string): string;
}): SafeHtml {
  const { day, bounds, addressOf } = strip;
  const days = daysAround(day, bounds);
  const lowest = lowestDay(days, strip.prices);
  const step = (by: 1 | -1, name: string): SafeHtml => {
    const to = addDays(day, by);
    const arrow = icon(by === 1 ? 'right' : 'left');
    return to < bounds.first || to > bounds.last
      ? html`<span></span>`
      : html`<a href="${addressOf(to)}" data-day="${to}" aria-label="${name}">${arrow}</a>`;
  };
  return html`${step(-1, 'Day before')}<ol>${days.map((one, at) => {
    const price = strip.prices.get(one);
    const figure =
      price !== undefined
        ? html`<b${one === lowest && html` class="low"`}>${priceText(price, strip.lang)}</b>`
        : strip.isAsking && one === day
          ? html`<b><span class="skeleton"></span></b>`
          : stateText(strip.states?.get(one));
    return html`<li><a class="day num" href="${addressOf(one)}" data-day="${one}"${one === day && html` aria-current="date"`}>${dayName(one, days[at - 1], bounds.first)} ${figure}</a></li>`;
  })}</ol>${step(1, 'Day after')}`;
}

/** A day that no carrier knows has a dash. */
function stateText(state: DayState | undefined): SafeHtml {
  if (state === 'sold-out') return html`<b class="none" title="Sold out">full</b>`;
  if (state === 'no-trains') return html`<b class="none" title="No trains">none</b>`;
  return html`<b aria-hidden="true">–</b>`;
}

/** The month is named where it begins. */
function dayName(day: string, before: string | undefined, today: string): string {
  const [weekday = '', date = '', month = ''] = dayText(day).split(' ');
  if (day === today) return `Today, ${date}`;
  const isNew = before === undefined || before.slice(0, 7) !== day.slice(0, 7);
  return isNew ? `${weekday} ${date} ${month}` : `${weekday} ${date}`;
}

/** The cheapest of several days, if their prices can be compared. */
function lowestDay(
  days: readonly string[],
  prices: ReadonlyMap<string, Money>,
): string | undefined {
  const known = days.flatMap((day) => {
    const price = prices.get(day);
    return price === undefined ? [] : [{ day, price }];
  });
  const currencies = new Set(known.map(({ price }) => price.currency));
  if (known.length < 2 || currencies.size > 1) return undefined;
  return known.reduce((a, b) => (b.price.amount < a.price.amount ? b : a)).day;
}
