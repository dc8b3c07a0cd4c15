import type {
  Leg,
  Platform,
  Remark,
  RideLeg,
  RideStop,
  TimeAt,
  TransferLeg,
} from '@ticketing/core';
import { html, type SafeHtml } from '../frame/html.ts';
import { clockOf, type Names, nameOf, rideText } from './names.ts';

/** Characters that fit into one line. */
const LINE = 80;

/** Renders a train, or a way, with everything that the carrier says of it. */
export function legItem(leg: Leg, names: Names): SafeHtml {
  return leg.kind === 'ride' ? rideItem(leg, names) : wayItem(leg, names);
}

function wayItem(
  { origin, destination, minutes, nearby, risk }: TransferLeg,
  { stations }: Names,
): SafeHtml {
  const [from, to] = [origin, destination].map((id) => nameOf(stations, id));
  if (nearby) return html`<li>${to} is near ${from}</li>`;
  const way = from === to ? `to change at ${to}` : `from ${from} to ${to}`;
  const text = minutes === 0 && from === to ? `Change at ${to}` : `${minutes} min ${way}`;
  return html`<li>${text}${risk && html`, ${news(risk)}`}</li>`;
}

function rideItem(ride: RideLeg, names: Names): SafeHtml {
  const { stations } = names;
  const [from, to] = [ride.origin, ride.destination].map((id) => nameOf(stations, id));
  const { sections = [], stops = [], booking, remarks } = ride;
  return html`<li>${timeOf(ride.departure, ride.expectedDeparture)} ${from}${platformOf(ride.departurePlatform)} <span aria-hidden="true">→</span><span class="hidden">to</span> ${timeOf(ride.arrival, ride.expectedArrival)} ${to}${platformOf(ride.arrivalPlatform)} <span class="train">${ride.cancelled && html`${news('cancelled')} `}${rideText(ride)}${operatorOf(ride, names)}${sections
    .slice(1)
    .map(
      (section) =>
        `, stay in the ${vehicleOf(ride)} at ${nameOf(stations, section.origin)} (then ${rideText(section)})`,
    )}</span>${
    booking &&
    html`<p>${news('Must be booked')}${booking.until && ` until ${clockOf(booking.until)} on ${booking.until.iso.slice(0, 10)}`}${booking.text !== undefined && `: ${booking.text}`}</p>`
  }${remarkLines(remarks)}${
    stops.length > 0 &&
    html`<details><summary>${stops.length === 1 ? '1 stop' : `${stops.length} stops`}</summary><ul>${stops.map((stop) => stopItem(stop, names))}</ul></details>`
  }</li>`;
}

function stopItem(stop: RideStop, { stations }: Names): SafeHtml {
  const { arrival, expectedArrival } = stop;
  const [planned, expected] =
    stop.departure === undefined
      ? [arrival, expectedArrival]
      : [stop.departure, stop.expectedDeparture];
  return html`<li>${planned && html`${timeOf(planned, expected)} `}${nameOf(stations, stop.station)}${platformOf(stop.platform)}${stop.cancelled && html`, ${news('no stop')}`}</li>`;
}

/** Renders remarks as one line: the first disruption, or else the first of all. All of them are below it, where it is not all. */
export function remarkLines(remarks: readonly Remark[] = []): SafeHtml | false {
  const first = remarks.find(({ kind }) => kind === 'disruption') ?? remarks[0];
  if (first === undefined) return false;
  const line = html`${first.kind === 'disruption' && html`${news('Disruption')}: `}${first.text}`;
  if (remarks.length === 1 && first.text.length <= LINE) return html`<p>${line}</p>`;
  return html`<details class="remarks"><summary>${line}${remarks.length > 1 && ` (1 of ${remarks.length})`}</summary><ul>${remarks.map(
    ({ text, language }) =>
      html`<li${language !== undefined && html` lang="${language}"`}>${text}</li>`,
  )}</ul></details>`;
}

function timeOf(planned: TimeAt, expected: TimeAt | undefined): SafeHtml {
  const [time, now] = [clockOf(planned), expected && clockOf(expected)];
  return html`<b>${time}</b>${now !== undefined && now !== time && html` ${news(`now ${now}`)}`}`;
}

function platformOf({ planned, expected }: Platform = {}): SafeHtml | string {
  if (expected !== undefined && planned !== undefined && expected !== planned) {
    return html`, ${news(`platform ${expected}`)} instead of ${planned}`;
  }
  const platform = expected ?? planned;
  return platform === undefined ? '' : `, platform ${platform}`;
}

function vehicleOf({ mode }: RideLeg): string {
  return mode === 'other' ? 'vehicle' : (mode ?? 'train');
}

/** A number, and a carrier's own code, say nothing to people. */
function operatorOf({ operator = '' }: RideLeg, { operators }: Names): string {
  const name = operators?.get(operator) ?? (operator.includes(':') ? '' : operator);
  return /\p{L}/u.test(name) ? `, ${name}` : '';
}

function news(text: string): SafeHtml {
  return html`<b class="news">${text}</b>`;
}
