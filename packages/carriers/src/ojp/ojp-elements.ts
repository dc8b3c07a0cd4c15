/**
 * The elements that are read, by name without prefix, of OJP 2.0 (github.com/VDVde/OJP, release 2.0) and of 1.0 where it has other
 * names. All else is skipped: tracks, intermediate stops, attributes.
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
  'Extension',
  'PublishedJourneyNumber',
]);

/** Returns whether an element is read. Errors are of many types, each with a name of its own. */
export function isOjpElement(name: string): boolean {
  return wanted.has(name) || name.endsWith('ProblemType') || name.endsWith('Error');
}
