import {
  describeJourney,
  describeRun,
  type SimPlatform,
  type SimRemark,
} from '../../timetable/europe/run-details.ts';
import { stationOf } from '../../timetable/network.ts';
import type { Train, TrainRun } from '../../timetable/train.ts';
import { lateMs } from '../trip-times.ts';

/** Parts of an answer in XML. */
export interface OjpWriter {
  /** Writes the reference of a stop. */
  reference(uic: string): string;
  instant(ms: number): string;
  escaped(text: string): string;
}

const text = ({ escaped }: Pick<OjpWriter, 'escaped'>, content: string): string =>
  `<Text xml:lang="en">${escaped(content)}</Text>`;

/** Returns the platform of a call. */
export function quays({ planned, expected }: SimPlatform, writer: OjpWriter): string {
  const quay = (name: string, content: string): string =>
    `<${name}>${text(writer, content)}</${name}>`;
  return `${quay('PlannedQuay', planned)}${expected === undefined ? '' : quay('EstimatedQuay', expected)}`;
}

/** Returns where a train calls between its ends. */
export function intermediates(run: TrainRun, writer: OjpWriter): string {
  return describeRun(run)
    .stops.map(({ station, arrivalMs, departureMs, platform }, index) => {
      const time = (side: string, ms: number): string => {
        const expected =
          run.delayMinutes === undefined
            ? ''
            : `<EstimatedTime>${writer.instant(ms + lateMs(run))}</EstimatedTime>`;
        return `<Service${side}><TimetabledTime>${writer.instant(ms)}</TimetabledTime>${expected}</Service${side}>`;
      };
      return [
        `<LegIntermediate><siri:StopPointRef>${writer.reference(station)}</siri:StopPointRef>`,
        `<StopPointName>${text(writer, stationOf(station).name)}</StopPointName>`,
        quays(platform, writer),
        time('Arrival', arrivalMs),
        time('Departure', departureMs),
        `<Order>${index + 2}</Order>`,
        `${run.cancelled ? '<NotServicedStop>true</NotServicedStop>' : ''}</LegIntermediate>`,
      ].join('');
    })
    .join('');
}

/** Returns what a service has on board: attributes, which are no disruptions. */
export function attributes(run: TrainRun, writer: OjpWriter): string {
  return describeRun(run)
    .remarks.filter(({ kind }) => kind === 'info')
    .map(
      ({ code, texts }) =>
        `<Attribute><UserText>${text(writer, texts.join(' '))}</UserText><Code>${code}</Code></Attribute>`,
    )
    .join('');
}

/** Returns the trains that run with another one. */
export function parallelServices(run: TrainRun, writer: OjpWriter): string {
  return describeRun(run)
    .coupled.map(
      (number) =>
        `<ParallelService><JourneyRef>sim:${run.brand}:${number}</JourneyRef><Mode><PtMode>rail</PtMode></Mode><PublishedServiceName>${text(writer, `${run.brand} ${number}`)}</PublishedServiceName></ParallelService>`,
    )
    .join('');
}

/** Returns the name of an operator, where servers have it. */
export function operatorName(name: string, writer: OjpWriter): string {
  return `<Extension><OperatorName>${text(writer, name)}</OperatorName></Extension>`;
}

/** Returns the length of a ride, without its course on a map. */
export function track(run: TrainRun, { reference }: OjpWriter): string {
  const { emissions: own } = describeRun(run);
  if (own === undefined) return '';
  const end = (name: string, uic: string): string =>
    `<${name}><siri:StopPointRef>${reference(uic)}</siri:StopPointRef></${name}>`;
  const ends = end('TrackSectionStart', run.origin) + end('TrackSectionEnd', run.destination);
  return `<LegTrack><TrackSection>${ends}<Length>${own.metres}</Length></TrackSection></LegTrack>`;
}

/** Returns the emissions of a ride for each passenger and kilometre. */
export function emissions(run: TrainRun): string {
  const { emissions: own } = describeRun(run);
  if (own === undefined) return '';
  return `<EmissionCO2><KilogramPerPersonKm>${own.gramsPerKm / 1000}</KilogramPerPersonKm></EmissionCO2>`;
}

/** Booking text of every ride on demand. */
const bookingTexts = ['Book by telephone', '00 1 234'] as const;
/** Minutes between the end of booking and the departure. */
const bookingMinutes = 60;

/** Returns how a ride on demand is booked. */
export function bookingArrangements(writer: OjpWriter): string {
  const [note, phone] = bookingTexts;
  return [
    `<BookingArrangements><BookingArrangement><BookingContact><Phone>${phone}</Phone></BookingContact>`,
    `<MinimumBookingPeriod>PT${bookingMinutes}M</MinimumBookingPeriod>`,
    `<BookingNotes><BookingNote>${text(writer, note)}</BookingNote></BookingNotes>`,
    '</BookingArrangement></BookingArrangements><ReservationNeeded>service</ReservationNeeded>',
  ].join('');
}

/** Returns references to the disruptions of a train. */
export function runReferences(run: TrainRun): string {
  return referencesTo(describeRun(run).remarks);
}

/** Returns references to the disruptions of a whole trip. */
export function tripReferences(train: Train): string {
  return referencesTo(describeJourney(train));
}

function referencesTo(remarks: readonly SimRemark[]): string {
  const references = remarks.filter(isSituation).map(({ code }) => situationRef(code));
  const list = references.map((each) => `<SituationFullRef>${each}</SituationFullRef>`).join('');
  return list === '' ? '' : `<SituationFullRefs>${list}</SituationFullRefs>`;
}

function situationRef(code: string): string {
  return `<siri:ParticipantRef>simulated</siri:ParticipantRef><siri:SituationNumber>${code}</siri:SituationNumber>`;
}

function isSituation({ kind }: SimRemark): boolean {
  return kind === 'disruption';
}

/** Returns the disruptions of trains, each once. */
export function situations(
  trains: readonly Train[],
  runs: readonly TrainRun[],
  writer: OjpWriter,
): string {
  const all = [
    ...trains.flatMap(describeJourney),
    ...runs.flatMap((run) => describeRun(run).remarks),
  ];
  const once = new Map(all.filter(isSituation).map((remark) => [remark.code, remark]));
  const written = [...once.values()].map((remark) => situation(remark, writer)).join('');
  return written === '' ? '' : `<Situations>${written}</Situations>`;
}

/** A text in parts is an action for passengers, as newer servers write it; a short one a summary. */
function situation({ code, texts }: SimRemark, { escaped }: OjpWriter): string {
  const [summary, ...descriptions] = texts;
  const part = (name: string, content: string): string =>
    `<siri:${name}Content><siri:${name}Text xml:lang="en">${escaped(content)}</siri:${name}Text></siri:${name}Content>`;
  const told =
    descriptions.length === 0
      ? `<siri:Language>en</siri:Language><siri:Summary>${escaped(summary)}</siri:Summary>`
      : [
          '<siri:PublishingActions><siri:PublishingAction><siri:PassengerInformationAction><siri:TextualContent>',
          part('Summary', summary),
          ...descriptions.map((one) => part('Description', one)),
          '</siri:TextualContent></siri:PassengerInformationAction></siri:PublishingAction></siri:PublishingActions>',
        ].join('');
  return `<PtSituation><siri:CreationTime>2026-01-01T00:00:00Z</siri:CreationTime>${situationRef(code)}<siri:Priority>3</siri:Priority>${told}</PtSituation>`;
}
