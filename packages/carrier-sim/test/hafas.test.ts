import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { hafasSimProfile } from '../src/index.ts';
import { startedSim } from './started-sim.ts';

const { path, version: ver, client, auth, lang, checksum } = hafasSimProfile;
const wien = { type: 'S', lid: 'A=1@L=8103000@' };
const munchen = { type: 'S', lid: 'A=1@O=München Hbf@L=8000261@' };
const search = {
  depLocL: [wien],
  arrLocL: [munchen],
  outDate: '20261201',
  outTime: '060000',
  numF: 3,
  getTariff: true,
  jnyFltrL: [{ type: 'PROD', mode: 'INC', value: '35' }],
};
const call = (req: unknown, meth = 'TripSearch') => ({
  ver,
  lang,
  client,
  auth,
  svcReqL: [{ meth, req }],
});

const md5 = (...parts: readonly (string | Buffer)[]): string =>
  createHash('md5')
    .update(Buffer.concat(parts.map((part) => Buffer.from(part as string))))
    .digest('hex');

interface Sent {
  readonly type?: string;
  readonly query?: (body: string) => string;
}

function signed(body: string, salt = checksum.salt): string {
  const mic = md5(body);
  return `?mic=${mic}&mac=${md5(mic, Buffer.from(salt, 'hex'))}`;
}

// biome-ignore lint/suspicious/noExplicitAny: an answer of any shape
async function send(url: string, envelope: unknown, sent: Sent = {}): Promise<any> {
  const { type = 'application/json', query = signed } = sent;
  const body = typeof envelope === 'string' ? envelope : JSON.stringify(envelope);
  const init = { method: 'POST', headers: { 'content-type': type }, body };
  const response = await fetch(`${url}/hafas${path}${query(body)}`, init);
  expect(response.status).toBe(200);
  return response.json();
}

const utc = (text: string) => Date.parse(`${text}:00Z`);
const sim = () => startedSim({ now: () => utc('2026-11-20T12:00') });

test('hafas answers a page, from which contexts lead on and back', async () => {
  const { url } = await sim();
  const first = (await send(url, call(search))).svcResL[0].res;
  expect(first.outConL.map((one: { cid: string }) => one.cid)).toEqual(['C-60', 'C-62', 'C-64']);
  expect(first.outConL[0]).toMatchObject({
    date: '20261201',
    secL: [{ type: 'JNY', dep: { dTimeS: '063000', dTZOffset: 60 }, arr: { aTimeS: '103400' } }],
  });
  const { outDate: _date, outTime: _time, ...rest } = search;
  const page = async (ctxScr: string) =>
    (await send(url, call({ ...rest, ctxScr }))).svcResL[0].res.outConL.map(
      (one: { cid: string }) => one.cid,
    );
  expect(await page(first.outCtxScrF)).toEqual(['C-66', 'C-68', 'C-70']);
  expect(await page(first.outCtxScrB)).toEqual(['C-70', 'C-72', 'C-294']);
});

test('hafas answers arrivals page by page, also arrivals in one minute', async () => {
  const running = await sim();
  const at = (ibnr: string) => [{ type: 'S', lid: `A=1@L=${ibnr}@` }];
  const ends = { depLocL: at('8700152'), arrLocL: at('8503000'), numF: 1 };
  const trains = running
    .trains({ carrier: 'hafas', origin: '8772319', destination: '8503000', date: '2026-12-01' })
    .map(({ number, arrivalMs }) => ({ cid: `C-${number}`, arrivalMs }));
  expect(new Set(trains.map(({ arrivalMs }) => arrivalMs)).size).toBeLessThan(trains.length);
  for (const [direction, outDate] of [
    ['outCtxScrB', '20261202'],
    ['outCtxScrF', '20261201'],
  ] as const) {
    const night = { ...search, ...ends, outDate, outTime: '060000', outFrwd: false };
    let { res } = (await send(running.url, call(night))).svcResL[0];
    const cids: string[] = direction === 'outCtxScrB' ? [res.outConL[0].cid] : [];
    while (cids.length < trains.length) {
      ({ res } = (await send(running.url, call({ ...ends, ctxScr: res[direction] }))).svcResL[0]);
      cids.push(res.outConL[0].cid);
    }
    expect(cids.sort()).toEqual(trains.map(({ cid }) => cid).sort());
  }
});

test('hafas counts days in times after midnight', async () => {
  const { url } = await sim();
  const { outConL } = (await send(url, call({ ...search, outTime: '230000', numF: 1 }))).svcResL[0]
    .res;
  expect(outConL[0].secL[0]).toMatchObject({
    dep: { dTimeS: '231900' },
    arr: { aTimeS: '01061000', aTZOffset: 60 },
  });
});

test.each<[what: string, req: unknown, err: string, meth?: string]>([
  ['another method', search, 'R0001', 'StationBoard'],
  ['no request', undefined, 'R0002'],
  ['an unknown origin', { ...search, depLocL: [{ type: 'S', lid: 'A=1@L=1@' }] }, 'H9260'],
  ['an address', { ...search, arrLocL: [{ type: 'A', lid: 'A=2@' }] }, 'H9300'],
  ['one station twice', { ...search, arrLocL: [wien] }, 'H895'],
  ['an unknown via', { ...search, viaLocL: [{ loc: { type: 'S', lid: 'x' } }] }, 'H9280'],
  ['a date that does not exist', { ...search, outDate: '20261301' }, 'H9360'],
  ['no time', { ...search, outTime: undefined }, 'H9360'],
  ['a day in the past', { ...search, outDate: '20261101' }, 'H9360'],
  ['no journeys', { ...search, numF: 0 }, 'R0002'],
  ['changes as text', { ...search, maxChg: '1' }, 'R0002'],
  ['a filter of another kind', { ...search, jnyFltrL: [{ type: 'X' }] }, 'PARAMETER'],
  ['only buses', { ...search, jnyFltrL: [{ type: 'PROD', mode: 'INC', value: '32' }] }, 'H890'],
  ['a forged context', { ...search, ctxScr: '1|OF|x' }, 'H9320'],
  ['the context of another pair', { ...search, ctxScr: '1|OF|MT#8103000#8503000#1|D' }, 'H9320'],
])('hafas answers %s with %s', async (_what, req, err, meth) => {
  const { url } = await sim();
  const answer = await send(url, call(req, meth));
  expect(answer).toMatchObject({ err: 'OK', svcResL: [{ err }] });
});

test.each<[what: string, envelope: unknown, err: string, sent?: Sent]>([
  ['text', '{', 'PARSE'],
  ['a form', call(search), 'PARSE', { type: 'application/x-www-form-urlencoded' }],
  ['no sum', call(search), 'AUTH', { query: () => '' }],
  ['a sum of another salt', call(search), 'AUTH', { query: (body) => signed(body, '00') }],
  ['another key', { ...call(search), auth: { type: 'AID', aid: 'x' } }, 'AUTH'],
  ['no version of the client', { ...call(search), client: { type: 'WEB' } }, 'CLIENTVERSION'],
  ['another version of the protocol', { ...call(search), ver: '1.1' }, 'PARAMETER'],
  ['two calls', { ...call(search), svcReqL: [{}, {}] }, 'PARAMETER'],
])('hafas refuses %s with %s', async (_what, envelope, err, sent) => {
  const { url } = await sim();
  expect(await send(url, envelope, sent)).toMatchObject({ err, svcResL: [] });
});

test('hafas takes the other kind of sum too, and key and salt from `credentials`', async () => {
  const credentials = { username: 'anna', password: 'secret' };
  const { url } = await startedSim({ credentials, now: () => utc('2026-11-20T12:00') });
  const own = { ...call(search), auth: { type: 'AID', aid: 'anna' } };
  const query = (body: string) => `?checksum=${md5(body, 'secret')}`;
  expect(await send(url, own, { query })).toMatchObject({ svcResL: [{ err: 'OK' }] });
  expect(await send(url, call(search))).toMatchObject({ err: 'AUTH' });
});

test('hafas follows the plan of pages', async () => {
  const { url, setPlan } = await sim();
  setPlan('hafas', { pageSize: 2 });
  expect((await send(url, call(search))).svcResL[0].res.outConL).toHaveLength(2);
});
