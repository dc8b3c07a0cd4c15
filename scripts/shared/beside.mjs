// What scripts share that run a command.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

/**
 * Takes the flags that begin a command line, and the command: `{ flags, command }`. Ends the process with its usage
 * where there is no command, or another flag.
 * @param {string} usage how the script is called
 * @param {readonly string[]} known flags such as `--brief`
 */
export function readCommand(usage, known) {
  const given = process.argv.slice(2);
  const start = given.findIndex((word) => !word.startsWith('--'));
  const flags = new Set(start === -1 ? given : given.slice(0, start));
  if (start === -1 || [...flags].some((flag) => !known.includes(flag))) {
    console.error(`usage: ${usage}`);
    process.exit(2);
  }
  return { flags, command: given.slice(start) };
}

/** Runs a command with variables besides our own; resolves with its exit code. It gets the signals that we get. */
export async function runCommand([program, ...args], variables) {
  const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, ...variables } });
  // The command ends first: it gets the signal from the terminal, or from here.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => child.kill(signal));
  }
  const [code, signal] = await once(child, 'exit');
  return signal ? 1 : code;
}

/** Runs this program again on the pinned Node, which reads TypeScript. Resolves with its exit code. */
export function onPinnedNode() {
  const pinned = fileURLToPath(new URL('../../node_modules/.bin/node', import.meta.url));
  if (existsSync(pinned)) return runCommand([pinned, ...process.argv.slice(1)], {});
  console.error('Cannot start: the pinned Node is not installed, which `npm test` does');
  return Promise.resolve(2);
}

/** Returns a loopback port on which nothing listens. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
