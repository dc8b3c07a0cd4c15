/** Side whose order decides among codings that are accepted equally. */
export type EncodingPreference = 'server' | 'client';

/** Codings that are offered, by lower-case names. */
export interface OfferedEncodings {
  readonly encodings: readonly string[];
  readonly preference: EncodingPreference;
}

/** One element of `Accept-Encoding`, with its place there. */
interface AcceptedCoding {
  readonly name: string;
  readonly weight: number;
  readonly place: number;
}

/** Weight of one coding, and the element that gives it. */
interface RatedCoding {
  readonly name: string;
  readonly weight: number;
  readonly isNamed: boolean;
  readonly place: number;
}

/** Characters of a header that are read: browsers send some 30. */
const LONGEST = 1000;

/**
 * Returns the coding that a client accepts most (RFC 9110, 12.5.3), or `undefined` for none: the body is sent as it is. A header
 * that is absent asks for none, although it allows any, and so does one that refuses everything.
 */
export function acceptedEncoding(
  header: string,
  { encodings, preference }: OfferedEncodings,
): string | undefined {
  const accepted = readCodings(header);
  const rated = [...encodings, 'identity']
    .map((name) => rate(name, accepted))
    .filter(({ weight }) => weight > 0);
  // Sorting is stable: of equal ones the first that is offered.
  rated.sort((one, other) =>
    preference === 'server'
      ? other.weight - one.weight
      : other.weight - one.weight ||
        Number(other.isNamed) - Number(one.isNamed) ||
        one.place - other.place,
  );
  const [best] = rated;
  return best === undefined || best.name === 'identity' ? undefined : best.name;
}

function readCodings(header: string): readonly AcceptedCoding[] {
  const read =
    header.length <= LONGEST
      ? header
      : header.slice(0, Math.max(0, header.lastIndexOf(',', LONGEST)));
  const accepted: AcceptedCoding[] = [];
  for (const element of read.split(',')) {
    const [name = '', ...parameters] = element.split(';').map((part) => part.trim());
    const place = accepted.length;
    if (name !== '')
      accepted.push({ name: name.toLowerCase(), weight: weightOf(parameters), place });
  }
  return withIdentity(accepted);
}

function weightOf(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=');
    if (name.trim().toLowerCase() === 'q') return Number.parseFloat(value);
  }
  return 1;
}

/** A body as it is is accepted unless it is refused; the client would rather have each coding that it names. */
function withIdentity(accepted: readonly AcceptedCoding[]): readonly AcceptedCoding[] {
  if (accepted.some(({ name }) => name === 'identity' || name === '*')) return accepted;
  const weight = Math.min(1, ...accepted.map((one) => one.weight || 1));
  return [...accepted, { name: 'identity', weight, place: accepted.length }];
}

/** A coding that is named counts as named, and not by `*`; of several elements the one with the greatest weight counts. */
function rate(name: string, accepted: readonly AcceptedCoding[]): RatedCoding {
  const named = accepted.filter((one) => one.name === name);
  const isNamed = named.length > 0;
  const matching = isNamed ? named : accepted.filter((one) => one.name === '*');
  let [best] = matching;
  for (const one of matching) if (best === undefined || one.weight >= best.weight) best = one;
  return { name, weight: best?.weight ?? 0, isNamed, place: best?.place ?? 0 };
}
