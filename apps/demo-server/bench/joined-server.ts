// Forked by bench/joined.ts: the demo's own server; with `map` as its argument, one whose joined searches wait for a Map of
// promises, as one writes it by hand. All else is the same in both: hooks, admission, headers.
import { createCarriers } from '../src/carriers/carriers.ts';
import { buildServer } from '../src/compose/build-server.ts';
import { compose, type Parts } from '../src/compose/compose.ts';
import { carrierSettings } from '../src/flags/carrier-settings.ts';
import { readFlags } from '../src/flags/read-flags.ts';
import { startTelemetry } from '../src/telemetry/start-telemetry.ts';
import { prepareWorms } from '../src/worms/worm-databases.ts';

type Answers = Parts['answers'];

/** Only the first call reaches the coalescer, so that the admission knows of it; the others wait for the first one's promise. */
function joinedByMap(answers: Answers): Answers {
  const loading = new Map<string | undefined, ReturnType<Answers['document']>>();
  return {
    ...answers,
    document(question, options) {
      const { key } = options;
      let joined = loading.get(key);
      if (joined === undefined) {
        joined = answers.document(question, options).finally(() => loading.delete(key));
        loading.set(key, joined);
      }
      return joined;
    },
  };
}

const [, , joins = '', carriersUrl = '', ...argv] = process.argv;
const { flags } = readFlags(argv, {});
const signal = new AbortController().signal;
const store = await prepareWorms(flags, { count: flags.worms, onFilled: () => {}, signal });
const carriers = createCarriers(carrierSettings(flags, carriersUrl), Date.now);
const telemetry = await startTelemetry(undefined);
const made = await compose(flags, { carriers, worms: store.location, now: Date.now, telemetry });
const app = await buildServer({
  flags,
  carriersUrl,
  parts: joins === 'map' ? { ...made, answers: joinedByMap(made.answers) } : made,
  draining: () => false,
  startedAt: Date.now(),
  processes: async () => [],
  operator: {
    view: () => Promise.reject(new Error('No view')),
    next: async () => undefined,
    history: async () => ({ at: [], lines: {} }),
    control: async () => ({ value: 0 }),
  },
  tls: undefined,
});
process.send?.(await app.listen({ port: 0, host: '127.0.0.1' }));
