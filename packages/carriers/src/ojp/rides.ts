import { isLocalDate, type Remark, type RideLeg } from '@ticketing/core';
import { type JourneyDecoder, LeftOut } from '../wire/read-journeys.ts';
import { listRemarks, remarkOf } from '../wire/remarks.ts';
import { shownText } from '../wire/shown-text.ts';
import { childOf, childrenOf, textAt, type XmlElement } from '../wire/xml-reader.ts';
import { bookingOf, bookingTexts } from './booking.ts';
import { callTimeOf, isTrue, platformOf, stopsOf } from './calls.ts';
import { coupledTo, nameOf } from './names.ts';
import { type StopContext, stopOf } from './places.ts';
import type { Situations } from './situations.ts';

/** Context of the trips of one answer. */
export interface TripContext extends StopContext {
  readonly situations: Situations;
  /** True if rides have the stations where they call on the way. */
  readonly stops: boolean;
  /** Gets the name of an operator that a ride names. */
  nameOperator(id: string, name: string): void;
}

/** Reads a ride. */
export function rideOf(decoder: JourneyDecoder, timed: XmlElement, context: TripContext): RideLeg {
  const board = childOf(timed, 'LegBoard');
  const alight = childOf(timed, 'LegAlight');
  const service = childOf(timed, 'Service');
  const from = stopOf(decoder, board, context);
  const to = stopOf(decoder, alight, context);
  const leaves = callTimeOf(decoder, childOf(board, 'ServiceDeparture'), from);
  const arrives = callTimeOf(decoder, childOf(alight, 'ServiceArrival'), to);
  if (leaves === undefined || arrives === undefined) throw new LeftOut('without a time');
  const isCancelled =
    isTrue(service, 'Cancelled') ||
    isTrue(board, 'NotServicedStop') ||
    isTrue(alight, 'NotServicedStop');
  const day = textAt(service, 'OperatingDayRef');
  const name = nameOf(timed, service);
  const departurePlatform = platformOf(board);
  const arrivalPlatform = platformOf(alight);
  const booking = bookingOf(decoder, service, {
    departure: leaves.planned,
    zone: from.zone,
    isTrain: name.mode === undefined,
  });
  const remarks = listRemarks([
    ...[service, board, alight].flatMap((element) => context.situations.of(element)),
    ...notesOf(service, booking.booking !== undefined),
  ]);
  const stops = context.stops ? stopsOf(decoder, timed, context) : undefined;
  return {
    kind: 'ride',
    origin: from.id,
    destination: to.id,
    departure: leaves.planned,
    arrival: arrives.planned,
    ...(leaves.expected && { expectedDeparture: leaves.expected }),
    ...(arrives.expected && { expectedArrival: arrives.expected }),
    ...(isCancelled && { cancelled: true }),
    ...name,
    ...coupledTo(timed, name.number),
    ...operatorOf(decoder, timed, service, context),
    ...(day !== undefined && isLocalDate(day) && { operatingDay: day }),
    ...(departurePlatform && { departurePlatform }),
    ...(arrivalPlatform && { arrivalPlatform }),
    ...(remarks && { remarks }),
    ...(stops && { stops }),
    ...booking,
  };
}

/** An operator is its reference, which is the server's own, and its name where servers write only that. */
function operatorOf(
  { carrier }: JourneyDecoder,
  timed: XmlElement,
  service: XmlElement | undefined,
  context: TripContext,
): Pick<RideLeg, 'operator'> {
  const reference = shownText(
    textAt(service, 'OperatorRefs', 'OperatorRef') ?? textAt(service, 'OperatorRef'),
  );
  // Where servers of 1.0 have it.
  const name = shownText(textAt(timed, 'Extension', 'OperatorName', 'Text'));
  if (reference !== undefined && name !== undefined)
    context.nameOperator(operatorId(carrier, reference), name);
  const operator = reference === undefined ? name : operatorId(carrier, reference);
  return operator === undefined ? {} : { operator };
}

function operatorId(carrier: string, reference: string): string {
  return `${carrier}:${reference}`;
}

/** Reads the names of operators in the context of an answer. */
export function readOperators(
  carrier: string,
  delivery: XmlElement,
  { nameOperator }: Pick<TripContext, 'nameOperator'>,
): void {
  const list = childOf(childOf(delivery, 'TripResponseContext'), 'Operators');
  for (const operator of childrenOf(list, 'Operator')) {
    const reference = shownText(textAt(operator, 'OperatorRef'));
    const name = shownText(
      textAt(operator, 'OperatorName', 'Text') ?? textAt(operator, 'OperatorName'),
    );
    if (reference !== undefined && name !== undefined) {
      nameOperator(operatorId(carrier, reference), name);
    }
  }
}

/** Reads the attributes of a service: who may use it, what is on board, and how it may be booked where that is no condition. */
function notesOf(
  service: XmlElement | undefined,
  isBooked: boolean,
): readonly (Remark | undefined)[] {
  const attributes = childrenOf(service, 'Attribute').map((attribute) => {
    const code = textAt(attribute, 'Code');
    // Of one of its stops, such as the side of the doors: which one is not known.
    if (code?.includes('_InfoCall')) return undefined;
    // In 1.0 both are `Text`.
    return noteOf(childOf(attribute, 'UserText', 'Text'), code);
  });
  return [
    noteOf(childOf(service, 'RestrictionNote')),
    ...(isBooked ? [] : [remarkOf({ kind: 'info', texts: bookingTexts(service) })]),
    ...attributes,
  ];
}

function noteOf(element: XmlElement | undefined, code?: string): Remark | undefined {
  const text = childOf(element, 'Text');
  const language = text?.language ?? textAt(element, 'Language');
  return text && remarkOf({ kind: 'info', texts: [text.text], code, language });
}
