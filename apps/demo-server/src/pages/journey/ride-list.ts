import type { Leg, Platform, RideLeg, RideStop, TimeAt, TransferLeg } from '@ticketing/core';
import { html, type SafeHtml } from '../frame/html.ts';
import { icon } from '../frame/icons.ts';
import { countText, dayText, durationText } from './display-texts.ts';
import { clockOf, type Names, nameOf, operatorOf, rideText } from './names.ts';
import { operatorMark } from './operator-mark.ts';
import { remarkLines } from './remark-lines.ts';

/** Renders trains, and the ways between them, as a line from stop to stop, with everything that the carrier reports of them. */
export function rideList(legs: readonly Leg[], names: Names): SafeHtml {
  return html`<ol class="rides">${legs.map((leg, at) => {
    const [before, after] = [legs[at - 1], legs[at + 1]];
    if (leg.kind === 'transfer') return wayItems(leg, { names, before, after });
    const isAtOnce = before?.kind === 'ride';
    return html`${isAtOnce && waitItem(`Change, ${waitText(before, leg)}`)}${rideItems(leg, names, after === undefined)}`;
  })}</ol>`;
}

/** The stop where a train is taken, the train, and the stop where it is left. */
function rideItems(ride: RideLeg, names: Names, isLast: boolean): SafeHtml {
  const { sections = [], stops = [], booking, remarks } = ride;
  const operator = operatorOf(ride, names);
  return html`${stopItem(ride.origin, {
    names,
    planned: ride.departure,
    expected: ride.expectedDeparture,
    platform: ride.departurePlatform,
  })}<li class="leg"><span></span><span class="rail"></span><div><p class="line">${operatorMark(ride, names, 'small')}<span>${ride.cancelled && html`${news('Cancelled')} `}${rideText(ride)}</span> <span class="muted">${operator !== undefined && `${operator} · `}${durationText(Math.round((ride.arrival.ms - ride.departure.ms) / 60_000))}</span></p>${sections
    .slice(1)
    .map(
      (section) =>
        html`<p>Stay in the ${vehicleOf(ride)} at ${nameOf(names.stations, section.origin)}, then ${rideText(section)}</p>`,
    )}${
    booking &&
    html`<p>${news('Must be booked')}${booking.until && ` until ${clockOf(booking.until)} on ${dayText(booking.until.iso.slice(0, 10))}`}${booking.text !== undefined && `: ${booking.text}`}</p>`
  }${
    stops.length > 0 &&
    html`<details class="stops"><summary>${countText(stops.length, 'stop')}${icon('down', 'chevron')}</summary><ol>${stops.map((stop) => onTheWay(stop, names))}</ol></details>`
  }${remarkLines(remarks)}</div></li>${stopItem(ride.destination, {
    names,
    planned: ride.arrival,
    expected: ride.expectedArrival,
    platform: ride.arrivalPlatform,
    isLast,
  })}`;
}

function stopItem(
  station: string,
  {
    names,
    planned,
    expected,
    platform,
    isLast = false,
  }: {
    readonly names: Names;
    readonly planned?: TimeAt | undefined;
    readonly expected?: TimeAt | undefined;
    readonly platform?: Platform | undefined;
    readonly isLast?: boolean;
  },
): SafeHtml {
  const where = platformOf(platform);
  return html`<li${isLast && html` class="last"`}><span class="t">${planned && timeOf(planned, expected)}</span><span class="rail"></span><span class="stop">${nameOf(names.stations, station)}${where && html` <small>${where}</small>`}</span></li>`;
}

function onTheWay(stop: RideStop, { stations }: Names): SafeHtml {
  const { arrival, expectedArrival } = stop;
  const [planned, expected] =
    stop.departure === undefined
      ? [arrival, expectedArrival]
      : [stop.departure, stop.expectedDeparture];
  const where = platformOf(stop.platform);
  return html`<li><span>${planned && timeOf(planned, expected)}</span><span>${nameOf(stations, stop.station)}${where && html`, ${where}`}${stop.cancelled && html`, ${news('no stop')}`}</span></li>`;
}

/** The way to the first train, between two, or from the last one; a stop at its end that is no train's. */
function wayItems(
  leg: TransferLeg,
  {
    names,
    before,
    after,
  }: {
    readonly names: Names;
    readonly before: Leg | undefined;
    readonly after: Leg | undefined;
  },
): SafeHtml {
  const { origin, destination, minutes, nearby, risk, selfTransfer } = leg;
  const [from, to] = [origin, destination].map((id) => nameOf(names.stations, id));
  const isWait = from === to;
  const wait = before?.kind === 'ride' && after?.kind === 'ride' && waitText(before, after);
  const way = [
    !isWait && `${selfTransfer ? 'Make your own way' : 'Walk'} to ${to}, ${minutes} min`,
    wait && (isWait ? `Change, ${wait}` : `${wait} to change`),
    isWait && minutes > 0 && !selfTransfer && `the way takes ${minutes} min`,
  ].filter((part) => part !== false && part !== undefined);
  const text = nearby ? `${to} is near ${from}` : way.join(', ');
  return html`${before === undefined && stopItem(origin, { names })}${waitItem(html`${text}${risk && html`, ${news(risk)}`}${selfTransfer && html`<p class="unprotected">${news('Two tickets: this connection is not protected.')} If you miss the next train, no seller helps: you buy a new ticket.</p>`}`)}${after === undefined && stopItem(destination, { names, isLast: true })}`;
}

function waitItem(text: SafeHtml | string): SafeHtml {
  return html`<li class="leg wait"><span></span><span class="rail"></span><div>${text}</div></li>`;
}

/** The time between two trains, as it is expected. */
function waitText(before: RideLeg, after: RideLeg): string {
  const from = (before.expectedArrival ?? before.arrival).ms;
  const until = (after.expectedDeparture ?? after.departure).ms;
  return durationText(Math.max(0, Math.round((until - from) / 60_000)));
}

function timeOf(planned: TimeAt, expected: TimeAt | undefined): SafeHtml {
  const [time, now] = [clockOf(planned), expected && clockOf(expected)];
  if (now === undefined || now === time) return html`${time}`;
  return html`<s><span class="sr">planned </span>${time}</s> <b class="news"><span class="sr">now </span>${now}</b>`;
}

function platformOf({ planned, expected }: Platform = {}): SafeHtml | undefined {
  if (expected !== undefined && planned !== undefined && expected !== planned) {
    return html`${news(`Platform ${expected}`)} instead of ${planned}`;
  }
  const platform = expected ?? planned;
  return platform === undefined ? undefined : html`Platform ${platform}`;
}

function vehicleOf({ mode }: RideLeg): string {
  return mode === 'other' ? 'vehicle' : (mode ?? 'train');
}

function news(text: string): SafeHtml {
  return html`<b class="news">${text}</b>`;
}
