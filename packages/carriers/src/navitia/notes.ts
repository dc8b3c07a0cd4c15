import type { Remark, RideBooking } from '@ticketing/core';
import { joinTexts, listRemarks, remarkOf } from '../wire/remarks.ts';
import type { WireReader, WireRecord } from '../wire/wire-reader.ts';

/** Disruption of an answer. */
interface Disruption {
  readonly remark: Remark | undefined;
  /** Effect such as `NO_SERVICE`. */
  readonly effect: unknown;
}

/** Disruptions and notes of an answer, by their ids: each is read once, when something refers to it. */
export interface Notes {
  disruption(id: unknown): Disruption | undefined;
  note(link: WireRecord): Remark | undefined;
}

/** Reads the lists of an answer to which sections refer. */
export function readNotes(read: WireReader, body: WireRecord): Notes {
  const disruptions = byId(read.items(body['disruptions'], 'disruptions'));
  const notes = byId(read.items(body['notes'], 'notes'));
  const known = new Map<WireRecord, Disruption>();
  return {
    disruption(id) {
      const found = disruptions.get(id);
      if (found === undefined) return undefined;
      const disruption = known.get(found) ?? disruptionOf(read, found);
      known.set(found, disruption);
      return disruption;
    },
    note(link) {
      const { category, value } = notes.get(link['id']) ?? link;
      // The destination of a train that goes elsewhere is no notice.
      return category === 'terminus' ? undefined : remarkOf({ kind: 'info', texts: [value] });
    },
  };
}

function byId(list: readonly unknown[]): ReadonlyMap<unknown, WireRecord> {
  return new Map(
    list.map((one): [unknown, WireRecord] => {
      const record = Object(one) as WireRecord;
      return [record['id'], record];
    }),
  );
}

function disruptionOf(read: WireReader, disruption: WireRecord): Disruption {
  const { effect, name } = Object(disruption['severity']) as WireRecord;
  const messages = read
    .items(disruption['messages'], 'messages')
    .map((message) => (Object(message) as WireRecord)['text']);
  const told = remarkOf({ kind: 'disruption', texts: messages, code: effect });
  // Without a message it has a cause, and the name of its severity at least.
  const texts = [disruption['cause'], name];
  return { effect, remark: told ?? remarkOf({ kind: 'disruption', texts, code: effect }) };
}

/** Returns the disruptions to which links refer. */
export function disruptionsOf(links: readonly WireRecord[], notes: Notes): readonly Disruption[] {
  return links
    .filter(({ type, rel }) => type === 'disruption' || rel === 'disruptions')
    .flatMap(({ id }) => notes.disruption(id) ?? []);
}

/** Returns the remarks to which links refer. */
export function remarksOf(
  links: readonly WireRecord[],
  notes: Notes,
): readonly Remark[] | undefined {
  return listRemarks([
    ...disruptionsOf(links, notes).map(({ remark }) => remark),
    ...links.filter(({ type, rel }) => type === 'notes' || rel === 'notes').map(notes.note),
  ]);
}

/** Kinds of services that come only when they are booked. */
const onDemand: ReadonlySet<unknown> = new Set([
  ...['odt_with_stop_time', 'odt_with_stop_point', 'odt_with_zone', 'on_demand_transport'],
]);

/** Returns the booking of a ride that runs on demand. */
export function bookingOf(read: WireReader, section: WireRecord): RideBooking | undefined {
  const kinds = read.items(section['additional_informations'], 'additional_informations');
  if (!onDemand.has(section['type']) && !kinds.some((kind) => onDemand.has(kind))) return undefined;
  const rule = Object(section['booking_rule']) as WireRecord;
  const texts = ['message', 'phone_number', 'booking_url', 'info_url'].map((name) => rule[name]);
  const text = joinTexts(texts);
  return text === undefined ? {} : { text };
}
