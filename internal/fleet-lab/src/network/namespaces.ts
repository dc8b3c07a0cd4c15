import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { HostSpeed, Network } from './network.ts';

/** Addresses for tests of networks (RFC 2544): no machine has them, and they stay in the namespaces. */
const NET = '198.18';
const LINK_PROGRAM = fileURLToPath(new URL('../programs/link-program.ts', import.meta.url));
/** First of a host's loopback ports, one per engine, for a link program that delays messages. */
const LINK_PORT = 7400;

/** Returns true if this system has namespaces for us: Linux, root, `ip`. */
export function hasNamespaces(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  try {
    const name = `tt${process.pid}-try`;
    ip('netns', 'add', name);
    ip('netns', 'del', name);
    return true;
  } catch {
    return false;
  }
}

/**
 * Creates a network of namespaces on one bridge, which is in a namespace too: nothing of it is seen outside. Names carry our
 * pid; the end of this process removes them.
 */
export function createNamespaces(): Network {
  const prefix = `tt${process.pid}-`;
  const names = new Set<string>();
  const links: ChildProcess[] = [];
  const subnet = `${NET}.${process.pid % 250}`;

  function add(name: string): string {
    const namespace = prefix + name;
    ip('netns', 'add', namespace);
    names.add(namespace);
    ip('-n', namespace, 'link', 'set', 'lo', 'up');
    return namespace;
  }
  function remove(): void {
    for (const link of links.splice(0)) link.kill('SIGKILL');
    for (const name of names) {
      try {
        ip('netns', 'del', name);
        names.delete(name);
      } catch {
        // `left` reports it.
      }
    }
  }
  process.on('exit', remove);

  const bridge = add('switch');
  ip('-n', bridge, 'link', 'add', 'bridge', 'type', 'bridge');
  ip('-n', bridge, 'link', 'set', 'bridge', 'up');
  let hosts = 0;
  function connectHost(name: string): { namespace: string; address: string; port: string } {
    const namespace = add(name);
    hosts += 1;
    const [address, port] = [`${subnet}.${hosts}`, `to-${hosts}`];
    ip(
      ...['-n', bridge, 'link', 'add', port, 'type', 'veth'],
      ...['peer', 'name', 'eth0', 'netns', namespace],
    );
    ip('-n', bridge, 'link', 'set', port, 'master', 'bridge', 'up');
    ip('-n', namespace, 'address', 'add', `${address}/24`, 'dev', 'eth0');
    ip('-n', namespace, 'link', 'set', 'eth0', 'up');
    return { namespace, address, port };
  }
  const engines = connectHost('engine');
  const within = (namespace: string): string[] => ['ip', 'netns', 'exec', namespace];
  const hasNetem = canDelay(bridge);

  /** Starts a program on the host that delays messages, and drops packets by nft, for a kernel without `tc netem`. */
  async function linksOf(
    namespace: string,
    { ports, speed }: { readonly ports: readonly number[]; readonly speed: HostSpeed },
  ): Promise<string[]> {
    if (speed.lossPercent) lose(namespace, speed.lossPercent);
    const given = JSON.stringify({
      delayMs: speed.delayMs,
      jitterMs: speed.jitterMs,
      links: ports.map((port, index) => ({
        from: LINK_PORT + index,
        to: { host: engines.address, port },
      })),
    });
    const [command = 'ip', ...args] = within(namespace);
    const child = spawn(
      command,
      [...args, process.execPath, '--conditions=@ticketing/source', LINK_PROGRAM, given],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    links.push(child);
    await once(createInterface({ input: child.stdout }), 'line');
    return ports.map((_, index) => `127.0.0.1:${LINK_PORT + index}`);
  }

  return {
    kind: 'namespaces',
    delays: hasNetem
      ? 'tc netem'
      : 'a TCP proxy on the host delays, nft drops packets: this kernel has no netem',
    engines: { host: engines.address, by: within(engines.namespace) },
    async addHost(name, { ports, speed }) {
      const { namespace, port: cable } = connectHost(name);
      let addresses = ports.map((port) => `${engines.address}:${port}`);
      if (speed !== undefined && hasNetem) slow(namespace, bridge, cable, speed);
      else if (speed !== undefined) addresses = await linksOf(namespace, { ports, speed });
      return {
        by: within(namespace),
        engines: addresses,
        // From outside: the host sees no change.
        down: () => ip('-n', bridge, 'link', 'set', cable, 'down'),
        up: () => ip('-n', bridge, 'link', 'set', cable, 'up'),
      };
    },
    left() {
      const all = ip('netns', 'list').split('\n');
      return all.flatMap((line) => (line.startsWith(prefix) ? [`namespace ${line}`] : []));
    },
    [Symbol.asyncDispose]: async () => {
      remove();
      process.off('exit', remove);
    },
  };
}

/** Delays by the kernel, half of the time at each end of the cable. */
function slow(namespace: string, bridge: string, cable: string, speed: HostSpeed): void {
  const { delayMs = 0, jitterMs = 0, lossPercent = 0 } = speed;
  const netem = (place: string, device: string): void => {
    run('tc', [
      ...['-n', place, 'qdisc', 'add', 'dev', device, 'root', 'netem'],
      ...['delay', `${delayMs}ms`, `${jitterMs}ms`, 'loss', `${lossPercent}%`],
    ]);
  };
  netem(namespace, 'eth0');
  netem(bridge, cable);
}

/** Drops packets that come and go, each by its own draw. */
function lose(namespace: string, percent: number): void {
  const share = `numgen random mod 1000 < ${Math.round(percent * 10)}`;
  const chain = (hook: string, device: string): string =>
    `chain ${hook} { type filter hook ${hook} priority 0; ${device} != "lo" ${share} drop; };`;
  const text = chain('input', 'iifname') + chain('output', 'oifname');
  run('ip', ['netns', 'exec', namespace, 'nft', `table inet losses { ${text} }`]);
}

function canDelay(namespace: string): boolean {
  try {
    run('tc', ['-n', namespace, 'qdisc', 'add', 'dev', 'lo', 'root', 'netem', 'delay', '1ms']);
    run('tc', ['-n', namespace, 'qdisc', 'del', 'dev', 'lo', 'root']);
    return true;
  } catch {
    return false;
  }
}

function ip(...args: string[]): string {
  return run('ip', args);
}

function run(program: string, args: readonly string[]): string {
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
