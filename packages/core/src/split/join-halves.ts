import {
  compareText,
  type Journey,
  type Leg,
  type Offer,
  ridesOf,
  sortOffers,
} from '../model/journey.ts';
import { doorToDoorMinutes } from '../model/leg-times.ts';
import { presentFields } from '../model/present-fields.ts';
import { joinRemarks } from '../model/remark.ts';
import { stableHash } from '../model/stable-hash.ts';

/**
 * Returns two journeys as one whose traveller changes by themselves: `minutes` is the time of the way between them. Its id is not that
 * of a journey that one seller has of the same trains.
 */
export function joinHalves(first: Journey, second: Journey, minutes: number): Journey {
  const legs: readonly Leg[] = [
    ...first.legs,
    {
      kind: 'transfer',
      origin: (first.legs.at(-1) as Leg).destination,
      destination: (second.legs[0] as Leg).origin,
      minutes,
      selfTransfer: true,
    },
    ...second.legs,
  ];
  const sources = [...new Set([...first.sources, ...second.sources])].sort(compareText);
  const unpriced = sources.filter((source) =>
    [first, second].every(
      (half) => !half.sources.includes(source) || half.unpriced?.includes(source),
    ),
  );
  const conflicts = [
    ...(first.conflicts ?? []).filter(({ field }) => field === 'departure'),
    ...(second.conflicts ?? []).filter(({ field }) => field === 'arrival'),
  ];
  const co2 = first.co2 &&
    second.co2 && {
      grams: first.co2.grams + second.co2.grams,
      estimated: first.co2.estimated || second.co2.estimated,
    };
  return {
    id: `j-${stableHash(`${first.id} ${second.id}`)}`,
    legs,
    departure: first.departure,
    arrival: second.arrival,
    durationMinutes: doorToDoorMinutes(legs),
    transfers: first.transfers + second.transfers + 1,
    offers: joinOffers(first, second),
    sources,
    ...(unpriced.length > 0 && { unpriced }),
    ...(conflicts.length > 0 && { conflicts }),
    ...presentFields({
      remarks: joinRemarks([first.remarks, second.remarks]),
      passengers: first.passengers ?? second.passengers,
      co2,
    }),
  };
}

/** Returns the offers of both, each for the rides that it is for. An id that a seller has in both gets a number in the second one. */
function joinOffers(first: Journey, second: Journey): readonly Offer[] {
  const count = ridesOf(first.legs).length;
  const all = (journey: Journey): readonly number[] => [...ridesOf(journey.legs).keys()];
  const offers = first.offers.map(
    (offer): Offer => ({ ...offer, rides: offer.rides ?? all(first) }),
  );
  const taken = new Set(offers.map(nameOf));
  for (const offer of second.offers) {
    const rides = (offer.rides ?? all(second)).map((ride) => ride + count);
    let named: Offer = { ...offer, rides };
    for (let copy = 2; taken.has(nameOf(named)); copy++)
      named = { ...named, id: `${offer.id}/${copy}` };
    taken.add(nameOf(named));
    offers.push(named);
  }
  return sortOffers(offers);
}

function nameOf({ seller, id }: Offer): string {
  return `${seller} ${id}`;
}
