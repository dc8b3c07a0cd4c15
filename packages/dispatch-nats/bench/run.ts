// The dispatcher beside the client of NATS used by hand; written between the marks in docs/measurements. About 6 minutes.
// `--quick` for a look, `--rounds 30` for more certainty.

import { connect } from '@nats-io/transport-node';
import { benchFlags, circumstances, report } from '@ticketing/bench-kit';
import { startNatsServer } from '@ticketing/test-kit';
import { measureCalls } from './calls.ts';
import { measureIdle, measureLosses, measureSlowHost } from './fleet-figures.ts';

const flags = benchFlags({ rounds: 9, sliceMs: 400 });
const server = await startNatsServer();
const version = await versionOf(server.url);
try {
  const calls = await measureCalls(server, { ...flags, warmUpMs: flags.quick ? undefined : 5000 });
  const slow = await measureSlowHost(server.url, flags);
  const idle = await measureIdle(server.url, flags.quick ? 2 : 10);
  const losses = await measureLosses(server.url, Math.ceil(flags.rounds / 2));
  report(
    new URL('../../../docs/measurements/dispatch-nats.md', import.meta.url),
    [
      circumstances('pnpm --filter @ticketing/dispatch-nats bench', flags),
      `nats-server ${version} on loopback and two host processes, which share the cores with the caller.`,
      '',
      ...calls,
      '',
      ...slow,
      ...idle,
      ...losses,
    ],
    flags,
  );
} finally {
  await server.close();
}

async function versionOf(url: string): Promise<string> {
  const nats = await connect({ servers: url });
  const { version = 'unknown' } = nats.info ?? {};
  await nats.close();
  return version;
}
