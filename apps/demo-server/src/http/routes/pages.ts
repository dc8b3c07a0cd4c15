import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import etag from '@fastify/etag';
import helmet from '@fastify/helmet';
import staticFiles from '@fastify/static';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { stationTable } from '@ticketing/carriers';
import { addDays, createLocalClock, JOURNEY_ORDERS, type RateSource } from '@ticketing/core';
import { attribution } from '@ticketing/stations';
import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Answers } from '../../answers/answers.ts';
import { carrierCards } from '../../carriers/carrier-cards.ts';
import { CARRIER_NAMES, type CarrierName, carrierKinds } from '../../carriers/carriers.ts';
import { modesOf } from '../../figures/operator-view.ts';
import type { Flags } from '../../flags/flag-specs.ts';
import { examplesOf } from '../../pages/form/examples.ts';
import { placeName } from '../../pages/form/place-name.ts';
import { isSearch } from '../../pages/form/search-words.ts';
import type { ShownProblem } from '../../pages/form/shown-problem.ts';
import { type Assets, openAssets } from '../../pages/frame/page-assets.ts';
import type { Names } from '../../pages/journey/names.ts';
import { operatorPage } from '../../pages/operator/operator-page.ts';
import {
  travellerPlaces,
  travellerProblem,
  travellerResults,
} from '../../pages/results/results-page.ts';
import { styleguidePage } from '../../pages/styleguide/styleguide-page.ts';
import { colourTokens } from '../../pages/styleguide/tokens.ts';
import { type TravellerPage, travellerStart, unknownAddress } from '../../pages/traveller-page.ts';
import { badQuery, type ProblemError } from '../../problem/problem.ts';
import { withFirst } from '../../search/map-items.ts';
import type { PageTokens } from '../../search/page-tokens.ts';
import type { SearchReader } from '../../search/reading/search-reader.ts';
import type { SearchAnswerEvent } from '../../search/search-answer.ts';
import { INTEGER_PARAMETERS, SearchParameters } from '../../search/search-parameters.ts';
import type { DocumentQuestion } from '../../search/search-query.ts';
import { readSearchView, viewEvents } from '../../search/search-view.ts';
import type { BodySender } from '../body-sender.ts';
import { securityHeaders } from '../security-headers.ts';

const HERE = 'Europe/Madrid';
const FARTHEST_DAYS = 366;
const text = Type.Optional(Type.String({ maxLength: 400 }));
/** A form as a person fills it, and the parameters of links: what is wrong in it is shown on the page. */
const Form = Type.Object({
  ...(Object.fromEntries(
    Object.keys(SearchParameters.properties).map((name) => [name, text]),
  ) as Record<keyof SearchParameters, typeof text>),
  page: SearchParameters.properties.page,
  plain: text,
});
type Form = Static<typeof Form>;

const clock = createLocalClock();
const names: Names = {
  stations: new Map(stationTable.stations.map(({ id, name }) => [id, name])),
  carriers: new Map(CARRIER_NAMES.map((id) => [id, carrierKinds[id].title])),
  calls: new Map(CARRIER_NAMES.map((id) => [id, carrierKinds[id].calls])),
};

export interface PagesDependencies {
  readonly flags: Flags;
  readonly answers: Pick<Answers, 'events'>;
  readonly reader: Pick<SearchReader, 'read'>;
  readonly pageTokens: Pick<PageTokens, 'sealAll'>;
  readonly bodies: Pick<BodySender, 'send'>;
  /** Exchange rates of now, `undefined` without any. */
  rates(): RateSource | undefined;
  /** Epoch ms. */
  now(): number;
  /** Milliseconds that a request has left, from 1. */
  leftMs(request: { readonly arrivedAt: number }): number;
  /** Makes the problem of an unknown path. */
  readonly notFound: (request: FastifyRequest) => ProblemError;
}

/** `GET /` and `/operator`, what a browser gets for an unknown path, and the assets of the pages. No page loads anything from elsewhere, and none may be framed. */
export const pageRoutes: FastifyPluginAsyncTypebox<PagesDependencies> = async (
  app,
  { flags, answers, reader, pageTokens, bodies, rates, now, leftMs, notFound },
) => {
  const assets = await openAssets();
  await app.register(helmet, securityHeaders());
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('permissions-policy', 'camera=(), geolocation=(), microphone=()');
  });
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, page: true };
  });
  await app.register(staticFiles, {
    root: assets.folder,
    prefix: '/assets/',
    preCompressed: true,
    immutable: true,
    maxAge: '1y',
    index: false,
    decorateReply: false,
  });
  await app.register(etag);

  app.get('/favicon.ico', { schema: { hide: true } }, (_request, reply) =>
    reply.header('cache-control', 'no-cache').redirect(assets.of('traveller').icon),
  );

  const ownPage = async (form: Form, known?: DocumentQuestion): Promise<TravellerPage> =>
    travellerPage({ form, known, assets, carriers: flags.carriers, rates: rates(), nowMs: now() });

  app.setNotFoundHandler(async (request, reply) => {
    const { details } = notFound(request);
    const page = await ownPage({});
    const markup = String(
      unknownAddress(page, {
        ...details,
        title: '',
        instance: request.url.split('?', 1)[0]?.slice(0, 100),
      }),
    );
    reply.code(404).type('text/html; charset=utf-8').header('cache-control', 'no-store');
    return bodies.send({ request, reply }, Buffer.from(markup));
  });

  if (flags.operator !== 'off') {
    // It is needed most when the server is busy: written once for all, and again with other assets.
    let kept: { readonly script: string; readonly page: Buffer } | undefined;
    const isSimulated = flags.carriersUrl === undefined;
    const keptPage = (): Buffer => {
      const own = assets.of('operator');
      if (kept?.script !== own.script) {
        const markup = operatorPage({
          assets: own,
          modes: modesOf(flags),
          carriers: new Map(
            flags.carriers
              .filter((id) => isSimulated && !carrierKinds[id].isLocal)
              .map((id) => [id, carrierKinds[id].title] as const),
          ),
        });
        kept = { script: own.script, page: Buffer.from(String(markup)) };
      }
      return kept.page;
    };
    const operator = {
      config: { admission: false },
      schema: { hide: true, summary: 'The server at work, as a page' },
    };
    app.get('/operator', operator, (request, reply) => {
      reply.headers({ 'cache-control': 'no-cache', vary: 'accept-encoding' });
      reply.type('text/html; charset=utf-8');
      return bodies.send({ request, reply }, keptPage());
    });
  }

  // For whoever works on the pages: a built program has no use for it.
  if (!assets.isBuilt) {
    const sheet = new URL('../../pages/look/tokens.css', import.meta.url);
    const carriers = names.carriers;
    app.get('/styleguide', { schema: { hide: true } }, async (request, reply) => {
      const colours = colourTokens(await readFile(sheet, 'utf8'));
      const { script: _, ...own } = assets.of('styleguide');
      reply.type('text/html; charset=utf-8').header('cache-control', 'no-store');
      const markup = styleguidePage({ assets: own, colours, carriers });
      return bodies.send({ request, reply }, Buffer.from(String(markup)));
    });
  }

  app.get('/', { schema: { hide: true, querystring: Form } }, async (request, reply) => {
    const { plain, ...form } = request.query;
    const isAsked = isSearch(form);
    const parameters = parametersOf(form);
    reply.type('text/html; charset=utf-8');
    let question: DocumentQuestion | undefined;
    let wrong: ShownProblem | undefined;
    try {
      if (isAsked) question = await reader.read(parameters);
    } catch (error) {
      wrong = badQuery(error);
      if (wrong === undefined) throw error;
    }
    const page = await ownPage(form, question);
    const refused = (problem: ShownProblem) =>
      reply
        .code(400)
        .header('cache-control', 'no-store')
        .send(`${travellerStart(page, problem)}${travellerProblem(problem, page)}`);
    if (!isAsked || plain !== '1') {
      const plainUrl = isAsked ? `/?${new URLSearchParams({ ...form, plain: '1' })}` : undefined;
      const markup = `${travellerStart({ ...page, plainUrl }, wrong)}${travellerPlaces(page)}`;
      reply.code(wrong === undefined ? 200 : 400);
      reply.headers({ 'cache-control': 'no-cache', vary: 'accept-encoding' });
      return bodies.send({ request, reply }, Buffer.from(markup));
    }
    if (question === undefined) return wrong && refused(wrong);
    reply.header('cache-control', 'no-store');
    try {
      const view = readSearchView(parameters, rates());
      const followed = answers.events(question, { deadlineMs: leftMs(request) });
      // A query that the search refuses fails here, before anything is sent.
      const events = await withFirst(viewEvents(followed, view, pageTokens));
      return reply.send(Readable.from(rendered({ ...page, form: request.query }, events)));
    } catch (error) {
      const problem = badQuery(error);
      if (problem === undefined) throw error;
      return refused(problem);
    }
  });
};

/** An empty field is absent, and a number a number: the search reports what is wrong with other text. */
function parametersOf({ order, plain: _, ...form }: Form): SearchParameters {
  const given = Object.entries(form)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => [name, INTEGER_PARAMETERS.has(name) ? Number(value) : value]);
  return {
    origin: '',
    destination: '',
    ...Object.fromEntries(given),
    order: JOURNEY_ORDERS.find((one) => one === order) ?? 'best',
  };
}

/** The first part is sent at once: the form can be read while the carriers are asked. */
async function* rendered(
  page: TravellerPage,
  events: AsyncIterable<SearchAnswerEvent>,
): AsyncGenerator<string, void> {
  yield String(travellerStart(page));
  for await (const part of travellerResults(events, { ...page, names })) yield String(part);
}

function travellerPage(given: {
  readonly form: Form;
  /** The search that the form is, if it is one. */
  readonly known?: DocumentQuestion | undefined;
  readonly assets: Assets;
  /** Carriers that the server asks. */
  readonly carriers: readonly CarrierName[];
  readonly rates: RateSource | undefined;
  readonly nowMs: number;
}): TravellerPage {
  const { form, known, assets, carriers, rates, nowMs } = given;
  const first = clock.dateOf(nowMs, HERE);
  const { origin, destination, via } = known?.query ?? {};
  return {
    form,
    assets: assets.of('traveller'),
    stations: [...stationTable.groups, ...stationTable.stations],
    credit: attribution,
    names,
    days: {
      first,
      usual: (form.date ? undefined : known?.query.date) ?? addDays(first, 1),
      last: addDays(first, FARTHEST_DAYS),
    },
    placeOf(text) {
      const ends = [
        [form.origin, origin],
        [form.destination, destination],
        [form.via, via],
      ] as const;
      const place = ends.find(([typed]) => typed === text)?.[1];
      return place === undefined ? text : placeName(text, place);
    },
    examples: examplesOf(carriers),
    asked: carriers,
    cards: carriers.flatMap((name) => carrierCards[name] ?? []),
    currencies: rates === undefined ? [] : [rates.base, ...Object.keys(rates.perBase).sort()],
  };
}
