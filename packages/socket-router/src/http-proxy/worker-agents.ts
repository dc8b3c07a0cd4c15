import type { Agent } from 'node:http';

// Not imported: docs/discoveries/what-an-import-of-node-http-loads.md
const http = process.getBuiltinModule('node:http');

/** Milliseconds that an idle connection is kept: less than the 5 s after which a server of Node closes its side. */
const IDLE_MS = 3000;

/** Keep-alive connections to the unix sockets of workers. */
export class WorkerAgents {
  readonly #agents = new Map<string, Agent>();

  get(socketPath: string): Agent {
    let agent = this.#agents.get(socketPath);
    if (agent === undefined) {
      // The timeout ends idle connections alone: the worker and the client decide how long an answer may take.
      agent = new http.Agent({ keepAlive: true, timeout: IDLE_MS });
      this.#agents.set(socketPath, agent);
    }
    return agent;
  }

  /** Closes the connections to all other sockets, each one when its request has ended. */
  keep(paths: ReadonlySet<string | undefined>): void {
    for (const [socketPath, agent] of this.#agents) {
      if (paths.has(socketPath)) continue;
      this.#agents.delete(socketPath);
      agent.keepSocketAlive = () => false;
      for (const sockets of Object.values(agent.freeSockets)) {
        for (const socket of sockets ?? []) socket.destroy();
      }
    }
  }

  destroy(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }
}
