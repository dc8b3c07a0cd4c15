import { CarrierError, type CarrierErrorCode } from '@ticketing/core';
import { childrenOf, type XmlElement } from '../wire/xml-reader.ts';

/** Codes by the end of a problem's type: 2.0 has `TRIP_NOTRIPFOUND`, and servers put other words before it. */
const codeByProblem: readonly (readonly [end: string, code: CarrierErrorCode])[] = [
  ['NOTRIPFOUND', 'NO_RESULTS'],
  ['ORIGINUNKNOWN', 'NOT_SERVED'],
  ['DESTINATIONUNKNOWN', 'NOT_SERVED'],
  ['VIAUNKNOWN', 'NOT_SERVED'],
  ['DATETIMEERROR', 'DATE_OUT_OF_RANGE'],
  ['DATEOUTOFRANGE', 'DATE_OUT_OF_RANGE'],
  ['NOORIGIN', 'BAD_REQUEST'],
  ['NODESTINATION', 'BAD_REQUEST'],
  ['ORIGINDESTINATIONIDENTICAL', 'BAD_REQUEST'],
  ['DEPARTUREAFTERARRIVAL', 'BAD_REQUEST'],
  ['TIMEWINDOWTOOLARGE', 'BAD_REQUEST'],
  ['REQUESTNOTSUPPORTED', 'BAD_REQUEST'],
  ['FEATURENOTSUPPORTED', 'BAD_REQUEST'],
];

/** Errors of SIRI, by element: what every service of it may answer. */
const codeByElement: ReadonlyMap<string, CarrierErrorCode> = new Map([
  ['AccessNotAllowedError', 'AUTH'],
  ['AllowedResourceUsageExceededError', 'RATE_LIMITED'],
  ['CapabilityNotSupportedError', 'BAD_REQUEST'],
  ['ServiceNotAvailableError', 'OVERLOADED'],
]);

const PROBLEM = /^[A-Z]{1,40}(?:_[A-Z]{1,40}){0,8}$/;

/** Problem that a server reports. */
export interface OjpProblem {
  /** Type in the words of the server. */
  readonly type: string;
  /** Absent: a type that is not known. */
  readonly code?: CarrierErrorCode;
}

/** Returns the problems that a delivery names. Beside trips they are hints, without trips they are the error. */
export function problemsOf(
  ...elements: readonly (XmlElement | undefined)[]
): readonly OjpProblem[] {
  const named: OjpProblem[] = [];
  const visit = (element: XmlElement): void => {
    const code = codeByElement.get(element.name);
    const type = element.text.trim();
    if (code !== undefined) named.push({ type: element.name, code });
    else if (PROBLEM.test(type)) named.push(problemOf(type));
    for (const child of element.children) visit(child);
  };
  for (const element of elements) {
    for (const condition of childrenOf(element, 'ErrorCondition', 'Problem')) visit(condition);
  }
  return named;
}

function problemOf(type: string): OjpProblem {
  const isLocation = type.startsWith('LOCATION_');
  const code = isLocation ? 'NOT_SERVED' : codeByProblem.find(([end]) => type.endsWith(end))?.[1];
  return { type, ...(code !== undefined && { code }) };
}

/** Returns the error that problems mean, the first known one, if there is one. */
export function problemError(
  carrier: string,
  problems: readonly OjpProblem[],
): CarrierError | undefined {
  const known = problems.find(({ code }) => code !== undefined);
  if (known?.code === undefined) return undefined;
  return new CarrierError(known.code, `Cannot ask \`${carrier}\`: it answered ${known.type}`);
}

/** Returns the error that a delivery has of which nothing is known: the server's. */
export function unknownProblem(
  carrier: string,
  problems: readonly OjpProblem[],
  ...elements: readonly (XmlElement | undefined)[]
): CarrierError | undefined {
  const [problem] = problems;
  const hasError = elements.some(
    (element) => childrenOf(element, 'ErrorCondition', 'Problem').length > 0,
  );
  if (problem === undefined && !hasError) return undefined;
  const what = problem?.type ?? 'an error without a type';
  return new CarrierError('UPSTREAM', `Cannot ask \`${carrier}\`: it answered ${what}`);
}
