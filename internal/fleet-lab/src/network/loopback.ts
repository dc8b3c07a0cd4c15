import { createLink, type Link } from '@ticketing/test-kit';
import type { Network } from './network.ts';

/** Creates a network of links on the loopback interface: on any system, without root; it loses no packets. */
export function createLoopback(): Network {
  const links: Link[] = [];
  async function close(): Promise<void> {
    await Promise.all(links.splice(0).map((link) => link.close()));
  }
  return {
    kind: 'loopback',
    delays: 'a TCP proxy per host; no packet is lost',
    engines: { host: '127.0.0.1', by: [] },
    async addHost(_name, { ports, speed = {} }) {
      const { lossPercent: _, ...linkSpeed } = speed;
      const own = await Promise.all(ports.map((to) => createLink({ to, ...linkSpeed })));
      links.push(...own);
      return {
        by: [],
        engines: own.map(({ port }) => `127.0.0.1:${port}`),
        down: () => {
          for (const link of own) link.stall();
        },
        up: () => {
          for (const link of own) link.open();
        },
      };
    },
    left: () => links.map(({ port }) => `a link on port ${port}`),
    [Symbol.asyncDispose]: close,
  };
}
