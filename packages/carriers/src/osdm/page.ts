import type { CarrierDecoder } from '../wire/decoder.ts';
import type { WireReader, WireRecord } from '../wire/wire-reader.ts';
import type { OsdmAsk, OsdmLinks } from './ask.ts';
import { problemError } from './problem.ts';

/** One page of journeys. Without bytes, the provider found none. */
export interface OsdmPage {
  readonly ask: OsdmAsk;
  /** Answer with trips, when they are asked for apart from offers. */
  readonly trips?: Uint8Array<ArrayBuffer>;
  readonly offers?: Uint8Array<ArrayBuffer>;
}

/** The parts of a page. */
interface PageParts {
  readonly trips: readonly WireRecord[];
  readonly offers: readonly WireRecord[];
  /** Links of a collection of trips; offers have no pages. */
  readonly links: OsdmLinks;
}

/**
 * Returns the trips, offers and links of a page.
 *
 * @throws CarrierError for a problem in place of offers, or of trips where there are no offers yet; `PROTOCOL` for other bytes
 */
export function readPage(
  decoder: Pick<CarrierDecoder, 'carrier' | 'read'>,
  { trips, offers }: OsdmPage,
): PageParts {
  const { read } = decoder;
  const collection = trips && bodyOf(decoder, trips, 'trips');
  const answer = offers && bodyOf(decoder, offers, 'offers');
  const priced = recordsOf(read, answer?.['offers'] ?? [], 'offers');
  const found = (collection ?? answer)?.['trips'] ?? (priced.length === 0 ? [] : undefined);
  return { trips: recordsOf(read, found, 'trips'), offers: priced, links: linksOf(collection) };
}

function bodyOf(
  { carrier, read }: Pick<CarrierDecoder, 'carrier' | 'read'>,
  bytes: Uint8Array,
  name: 'trips' | 'offers',
): WireRecord {
  const body = read.record(read.json(bytes), 'answer');
  const { problems } = body;
  const isBare = read.items(body[name], name).length === 0;
  const [problem] = read.items(problems, 'problems');
  if (isBare && problem !== undefined) throw problemError(carrier, problem, 200);
  if (body['trips'] === undefined && body['offers'] === undefined) {
    // A problem may be the whole answer, with a status that does not show it.
    if (isProblem(body)) throw problemError(carrier, body, 200);
    throw read.error('trips or offers', body);
  }
  return body;
}

function isProblem({ code, status, title, type }: WireRecord): boolean {
  const isNamed = [code, title, type].some((one) => typeof one === 'string');
  return isNamed && (typeof status === 'number' || typeof code === 'string');
}

function recordsOf(read: WireReader, list: unknown, name: string): readonly WireRecord[] {
  return read.records(list, name);
}

/** Links are an aid: one that cannot be read is as if absent. */
function linksOf(collection: WireRecord | undefined): OsdmLinks {
  const links = collection?.['_links'];
  if (!Array.isArray(links)) return {};
  const hrefOf = (rel: string): string | undefined => {
    const { href } = Object(links.find((one) => Object(one).rel === rel)) as { href?: unknown };
    return typeof href === 'string' ? href : undefined;
  };
  const [next, prev] = [hrefOf('next'), hrefOf('prev')];
  return { ...(next !== undefined && { next }), ...(prev !== undefined && { prev }) };
}
