import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type EngineServer,
  freePort,
  lives,
  startNatsServer,
  startRedisServer,
  until,
} from '@ticketing/test-kit';
import type { HostSpeed, Network, NetworkHost } from '../network/network.ts';
import {
  type Call,
  epoch,
  type FromHost,
  type JournalLine,
  readMessages,
  type ServingHostGiven,
  type ServingReport,
  type ToServingHost,
  type ToWorkerHost,
  type WorkerHostGiven,
} from '../programs/messages.ts';
import type { FleetSetting } from '../setting-5.ts';

/** Differences of a row's fleet from the setting. */
export interface FleetPlan {
  /** Servers of NATS, one cluster. Default 1. */
  readonly natsServers?: number;
  /** True if there is a Redis server. */
  readonly hasRedis?: boolean;
  /** Returns the options of one host, by its number. */
  worker?(index: number): Partial<WorkerHostGiven> & { readonly speed?: HostSpeed };
  server?(index: number): Partial<ServingHostGiven>;
  readonly servingHosts?: number;
  readonly callsPerSecond?: number;
}

/** A host of the fleet as a program. */
export interface Member {
  readonly name: string;
  readonly network: NetworkHost;
  readonly pid: number;
  /** Sends SIGKILL, and resolves when it has gone. */
  kill(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  tell(message: ToWorkerHost | ToServingHost): void;
  /** Resolves when the member has ended by itself. */
  ended(): Promise<void>;
  start(): Promise<void>;
}

export interface HostEvent {
  readonly at: number;
  readonly server: string;
  readonly type: string;
  readonly host: string;
  readonly sign?: string;
}

/** Observations by which a row is judged. Times are epoch milliseconds. */
export interface Observed {
  readonly startedAt: number;
  readonly calls: readonly Call[];
  readonly journal: readonly JournalLine[];
  readonly events: readonly HostEvent[];
  /** Hosts in each second, of the dispatcher that saw fewest. */
  readonly hosts: readonly number[];
  /** Report of each dispatcher at its end. */
  readonly reports: ReadonlyMap<string, ServingReport>;
}

export interface Fleet extends AsyncDisposable {
  readonly setting: FleetSetting;
  readonly workers: readonly Member[];
  readonly servers: readonly Member[];
  readonly nats: readonly EngineServer[];
  readonly redis: EngineServer | undefined;
  /** Returns the number of messages that the first server of NATS has been sent so far. */
  messages(): number;
  /** Asks for `seconds`; resolves when every call has ended. */
  load(options: {
    readonly seconds: number;
    /** Called when the load begins. */
    readonly act: (startedAt: number) => Promise<void>;
    readonly onSecond?: (
      sofar: Pick<Observed, 'calls' | 'startedAt' | 'hosts' | 'journal'>,
    ) => void;
  }): Promise<Observed>;
}

const PROGRAMS = { worker: 'worker-host.ts', server: 'serving-host.ts' };
/** Milliseconds for the last calls of a load, above their own time limit. */
const LATE_MS = 30_000;

/** Starts engines and hosts. Resolves when every dispatcher has a session with every host. */
export async function startFleet(
  network: Network,
  { setting, plan }: { readonly setting: FleetSetting; readonly plan: FleetPlan },
): Promise<Fleet> {
  const folder = mkdtempSync(join(tmpdir(), `fleet-${process.pid}-`));
  const closers: (() => Promise<void> | void)[] = [];
  const members: Member[] = [];
  const calls: Call[] = [];
  const events: HostEvent[] = [];
  const seconds = new Map<string, number[]>();
  const reports = new Map<string, ServingReport>();
  let onCalls: () => void = () => {};

  function receive(name: string, message: FromHost): void {
    if (message.kind === 'calls') calls.push(...message.calls);
    if (message.kind === 'event') events.push({ ...message, server: name });
    if (message.kind === 'done') reports.set(name, message.report);
    if (message.kind === 'second') {
      seconds.set(name, [...(seconds.get(name) ?? []), message.hosts]);
      onCalls();
    }
  }

  async function addMember(
    kind: keyof typeof PROGRAMS,
    given: (network: NetworkHost) => { readonly name: string },
    speed?: HostSpeed,
  ): Promise<Member> {
    const ports = [...nats, ...(redis === undefined ? [] : [redis])].map(({ port }) => port);
    const name = given({ by: [], engines: [], down() {}, up() {} }).name;
    const own = await network.addHost(name, { ports, speed });
    let child: ChildProcess | undefined;
    const runs = (): boolean =>
      child !== undefined && child.exitCode === null && child.signalCode === null;
    async function start(): Promise<void> {
      const program = fileURLToPath(new URL(`../programs/${PROGRAMS[kind]}`, import.meta.url));
      const words = [
        ...own.by,
        ...[process.execPath, '--conditions=@ticketing/source', program],
        JSON.stringify(given(own)),
      ];
      const [command = '', ...args] = words;
      const started = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], cwd: folder });
      child = started;
      favour(started.pid);
      started.stdin.on('error', () => {});
      let isReady = false;
      void readMessages<FromHost>(started.stdout, (message) => {
        if (message.kind === 'ready') isReady = true;
        receive(name, message);
      });
      await until(() => {
        if (!runs()) throw new Error(`Cannot start ${name}: it has ended`);
        return isReady;
      }, name);
    }
    async function end(signal: NodeJS.Signals): Promise<void> {
      if (!runs() || child === undefined) return;
      const exit = once(child, 'exit');
      child.kill(signal);
      await exit;
    }
    const member: Member = {
      name,
      network: own,
      get pid() {
        return child?.pid ?? 0;
      },
      kill: () => end('SIGKILL'),
      signal: (signal) => void child?.kill(signal),
      tell: (message) => void child?.stdin?.write(`${JSON.stringify(message)}\n`),
      async ended() {
        if (runs() && child !== undefined) await once(child, 'exit');
      },
      start,
    };
    closers.push(member.kill);
    await start();
    members.push(member);
    return member;
  }

  function fewestHosts(): number[] {
    const all = [...seconds.values()];
    return Array.from({ length: Math.max(0, ...all.map((each) => each.length)) }, (_, second) =>
      Math.min(...all.flatMap((each) => each[second] ?? [])),
    );
  }

  async function close(): Promise<void> {
    for (const end of closers.splice(0).reverse()) await end();
    rmSync(folder, { recursive: true, force: true });
  }

  const nats: EngineServer[] = [];
  let redis: EngineServer | undefined;
  const workers: Member[] = [];
  const servers: Member[] = [];
  try {
    const monitor = await freePort();
    nats.push(...(await startNats(network, { count: plan.natsServers ?? 1, monitor })));
    for (const server of nats) {
      closers.push(server.close);
      favour(server.pid);
    }
    if (plan.hasRedis) {
      const { host, by } = network.engines;
      // Only the hosts of the fleet reach it.
      redis = await startRedisServer({ host, by, args: ['--protected-mode', 'no'] });
      closers.push(redis.close);
      favour(redis.pid);
    }
    const natsAt = (engines: readonly string[]): readonly string[] => engines.slice(0, nats.length);
    const redisAt = (engines: readonly string[]): string => `redis://${engines[nats.length]}`;
    const journals: string[] = [];
    for (let index = 0; index < setting.workerHosts; index += 1) {
      const { speed, ...own } = plan.worker?.(index) ?? {};
      const journal = join(folder, `worker-${index + 1}.journal`);
      journals.push(journal);
      const { capacity, taskMs } = setting;
      workers.push(
        await addMember(
          'worker',
          ({ engines }) => ({
            name: `worker-${index + 1}`,
            servers: natsAt(engines),
            fleet: 'proof',
            capacity,
            taskMs,
            journal,
            ...own,
          }),
          speed,
        ),
      );
    }
    const servingHosts = plan.servingHosts ?? setting.servingHosts;
    for (let index = 0; index < servingHosts; index += 1) {
      const { taskMs, idempotentShare, timeoutMs, beatMs, missedBeats, sessions } = setting;
      servers.push(
        await addMember('server', ({ engines }) => {
          const { loads, ...own } = plan.server?.(index) ?? {};
          return {
            name: `server-${index + 1}`,
            servers: natsAt(engines),
            fleet: 'proof',
            taskMs,
            idempotentShare,
            timeoutMs,
            beatMs,
            missedBeats,
            sessions,
            callsPerSecond: (plan.callsPerSecond ?? setting.callsPerSecond) / servingHosts,
            ...own,
            ...(loads && { loads: { ...loads, redis: redisAt(engines) } }),
          };
        }),
      );
    }
    const readJournal = (): JournalLine[] =>
      journals.flatMap((path) =>
        existsSync(path)
          ? readFileSync(path, 'utf8')
              .split('\n')
              .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as JournalLine]))
          : [],
      );
    return {
      setting,
      workers,
      servers,
      nats,
      redis,
      messages: () => askMonitor(network, monitor),
      async load({ seconds: length, act, onSecond }) {
        const startedAt = epoch() + 200;
        onCalls = () =>
          onSecond?.({ calls, startedAt, hosts: fewestHosts(), journal: readJournal() });
        for (const server of servers) server.tell({ do: 'begin', at: startedAt, seconds: length });
        const acting = act(startedAt);
        const end = startedAt + length * 1000 + LATE_MS;
        await until(
          () => servers.every(({ name, pid }) => reports.has(name) || !lives(pid)),
          'the end of the load',
          end - epoch(),
        );
        await acting;
        const hosts = fewestHosts();
        return { startedAt, calls, journal: readJournal(), events, hosts, reports };
      },
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Starts one server, or a cluster whose servers know each other. */
async function startNats(
  network: Network,
  { count, monitor }: { readonly count: number; readonly monitor: number },
): Promise<EngineServer[]> {
  const { host, by } = network.engines;
  const ports = await portsOf(count);
  const routes = await portsOf(count);
  const servers: EngineServer[] = [];
  for (const [index, port] of ports.entries()) {
    const cluster = [
      ...['--cluster_name', 'proof', '--cluster', `nats://${host}:${routes[index]}`],
      ...['--routes', routes.map((each) => `nats://${host}:${each}`).join()],
      // Clients keep to the ways that they were given.
      '--no_advertise',
    ];
    const args = [...(index === 0 ? ['-m', String(monitor)] : []), ...(count === 1 ? [] : cluster)];
    servers.push(await startNatsServer({ host, by, port, args }));
  }
  return servers;
}

/** Runs a program before what else the machine does, if the system lets us: the fleet is judged, not its neighbours. */
function favour(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_HIGH);
  } catch {
    // Only root may.
  }
}

/** Asks the server's monitor from within its namespace for the number of messages. */
function askMonitor({ engines: { host, by } }: Network, port: number): number {
  const question = `fetch('http://${host}:${port}/varz').then((answer) => answer.json())`;
  const [program = '', ...args] = [
    ...by,
    ...[process.execPath, '-e', `${question}.then(({ in_msgs }) => console.log(in_msgs))`],
  ];
  return Number(execFileSync(program, args, { encoding: 'utf8' }));
}

async function portsOf(count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, freePort));
}
