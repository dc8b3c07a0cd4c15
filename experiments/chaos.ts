// `pnpm chaos [--setup NAME|all] [--seed N] [--minutes M] [--parallel P]`: the demo under faults that a seed decides.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exitCodeOf } from '@ticketing/cli-kit';
import { type ChaosFlags, chaosFlags } from './chaos/chaos-flags.ts';
import { eventLine } from './chaos/events/event-line.ts';
import { runSetup } from './chaos/run-setup.ts';
import { SETUPS, type Setup } from './chaos/setups.ts';
import { type Summary, summaryOf } from './chaos/summary.ts';

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());

try {
  const flags = chaosFlags(process.argv.slice(2));
  const left = SETUPS.filter(({ name }) => flags.setups.includes(name));
  const summaries: Summary[] = [];
  const runner = async (): Promise<void> => {
    for (let setup = left.shift(); setup && !stop.signal.aborted; setup = left.shift()) {
      summaries.push(await run(setup, flags));
    }
  };
  await Promise.all(Array.from({ length: flags.parallel }, runner));
  if (summaries.some(({ violations }) => Object.keys(violations).length > 0)) process.exitCode = 1;
  if (stop.signal.aborted) process.exitCode = 130;
} catch (error) {
  const code = exitCodeOf(error);
  if (code === undefined) console.error(error);
  process.exitCode = code ?? 1;
}

async function run(setup: Setup, flags: ChaosFlags): Promise<Summary> {
  const { seed, minutes, demoFlags, perSecond, log } = flags;
  const shown = new Set<string>();
  const ran = await runSetup(setup, {
    ...{ seed, ms: minutes * 60_000, perSecond, flags: demoFlags, signal: stop.signal },
    onViolation({ invariant, what, atMs }, lines) {
      console.error(`${setup.name}, seed ${seed}: ${invariant} at ${atMs} ms: ${what}`);
      // Further breaches of one invariant often have one cause.
      if (shown.has(invariant)) return;
      shown.add(invariant);
      console.error(`${lines.join('\n')}\n`);
    },
  });
  if (log !== undefined) {
    mkdirSync(log, { recursive: true });
    const text = [...ran.events.map(eventLine), '', ran.output].join('\n');
    writeFileSync(join(log, `${setup.name}-${seed}.log`), text);
  }
  const summary = summaryOf(ran);
  console.log(JSON.stringify(summary));
  return summary;
}
