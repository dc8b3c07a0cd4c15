/**
 * The elements that are read, by name without prefix, of OJP 2.0 (github.com/VDVde/OJP, release 2.0) and of 1.0 where it has other
 * names. All else is skipped, such as tracks and formations.
 */
const wanted: ReadonlySet<string> = new Set([
  'OJPResponse',
  'ServiceDelivery',
  'OJPTripDelivery',
  'Status',
  // Errors.
  'ErrorCondition',
  'Problem',
  'Type',
  'ErrorText',
  'Description',
  // Places.
  'TripResponseContext',
  'Places',
  'Place',
  'Location',
  'StopPoint',
  'StopPlace',
  'StopPointRef',
  'StopPlaceRef',
  'StopPointName',
  'StopPlaceName',
  'ParentRef',
  'Name',
  'LocationName',
  'Text',
  'GeoPosition',
  'Longitude',
  'Latitude',
  // Trips.
  'TripResult',
  'Trip',
  'Leg',
  'TripLeg',
  'TimedLeg',
  'TransferLeg',
  'ContinuousLeg',
  'LegBoard',
  'LegAlight',
  'LegStart',
  'LegEnd',
  'Duration',
  'TransferType',
  'TransferMode',
  'ServiceDeparture',
  'ServiceArrival',
  'TimetabledTime',
  'EstimatedTime',
  'NotServicedStop',
  'Cancelled',
  // Services.
  'Service',
  'OperatingDayRef',
  'Mode',
  'PtMode',
  'ProductCategory',
  'ShortName',
  'PersonalMode',
  'IndividualMode',
  'PublishedServiceName',
  'PublishedLineName',
  'TrainNumber',
  'OperatorRefs',
  'OperatorRef',
  'Operators',
  'Operator',
  'OperatorName',
  'Extension',
  'PublishedJourneyNumber',
  'ParallelService',
  'AlternativeModeOfOperation',
  // Platforms.
  'PlannedQuay',
  'EstimatedQuay',
  // Remarks.
  'Attribute',
  'UserText',
  'Code',
  'RestrictionNote',
  'SituationFullRefs',
  'SituationFullRef',
  'ParticipantRef',
  'SituationNumber',
  'Situations',
  'PtSituation',
  'Language',
  'Summary',
  'Detail',
  'Advice',
  'PublishingActions',
  'PublishingAction',
  'PassengerInformationAction',
  'TextualContent',
  'SummaryContent',
  'SummaryText',
  'ReasonContent',
  'ReasonText',
  'DescriptionContent',
  'DescriptionText',
  'ConsequenceContent',
  'ConsequenceText',
  'RecommendationContent',
  'RecommendationText',
  'DurationContent',
  'DurationText',
  // Booking.
  'ReservationNeeded',
  'BookingArrangements',
  'BookingArrangement',
  'BookingContact',
  'Phone',
  'Email',
  'Url',
  'BookingUrl',
  'BookWhen',
  'LatestBookingTime',
  'MinimumBookingPeriod',
  'BookingNotes',
  'BookingNote',
  // Trips.
  'Infeasible',
]);

/** Stops on the way, most of an answer that has them, and their order. 1.0 has the other name. */
const stops: ReadonlySet<string> = new Set(['LegIntermediate', 'LegIntermediates', 'Order']);

/** Returns whether an element is read. Errors are of many types, each with a name of its own. */
export function isOjpElement(name: string): boolean {
  return wanted.has(name) || name.endsWith('ProblemType') || name.endsWith('Error');
}

/** Returns whether an element is read where rides have the stops on the way. */
export function isOjpElementOrStop(name: string): boolean {
  return stops.has(name) || isOjpElement(name);
}
