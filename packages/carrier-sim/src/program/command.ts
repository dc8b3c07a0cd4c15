import { anyText, type Command, flag, integerFrom, type ValueReader } from '@ticketing/cli-kit';

const anInstant: ValueReader<number> = {
  expected: 'an instant such as 2026-11-21T10:00:00Z',
  read(text) {
    const isZoned = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/.test(text);
    const ms = isZoned ? Date.parse(text) : Number.NaN;
    return Number.isNaN(ms) ? undefined : ms;
  },
};

const flags = {
  port: flag({
    name: 'port',
    about: 'The port to listen on; 0 takes a free one.',
    value: integerFrom(0, 65_535),
    fallback: 4010,
  }),
  host: flag({
    name: 'host',
    about: 'The address to listen on.',
    value: anyText,
    fallback: '127.0.0.1',
  }),
  seed: flag({
    name: 'seed',
    about: 'Decides trains, fares, faults and latencies.',
    value: anyText,
    fallback: '1',
  }),
  planFile: flag<string | undefined>({
    name: 'plan',
    about: 'A JSON file with plans by carrier: {"renfe":{"fault":{"kind":"hang","share":0.1}}}.',
    value: anyText,
    fallback: undefined,
  }),
  startMs: flag<number | undefined>({
    name: 'now',
    about: 'The time at which its clock starts, which decides the dates on sale.',
    value: anInstant,
    fallback: undefined,
    absent: "this machine's time",
  }),
};

/** The command line of the program. */
export const command: Command<typeof flags> = {
  run: 'npx @ticketing/carrier-sim',
  about:
    'Serves the wire formats of train carriers over one seeded timetable, with faults on demand, until SIGTERM.',
  verb: 'start carrier simulator',
  flags,
};
