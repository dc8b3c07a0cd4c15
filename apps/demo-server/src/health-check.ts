// Health check of a container with the server or a host in it: ends with 0 if it answers /healthz, else with 1. It reads the same
// variables and flags as the server, and needs neither a shell nor curl.
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { exitCodeOf } from '@ticketing/cli-kit';
import { readFlags } from './flags/read-flags.ts';

/** Milliseconds to wait for an answer: less than the `--timeout` of the image's HEALTHCHECK, so that a late answer has a message. */
const TIMEOUT_MS = 2000;
/** Addresses that mean every interface, to which not every platform connects. */
const EVERY_ADDRESS = ['0.0.0.0', '::'];

try {
  const { flags } = readFlags(process.argv.slice(2), process.env);
  const isTls = flags.tlsCert !== undefined;
  const host = EVERY_ADDRESS.includes(flags.host) ? '127.0.0.1' : flags.host;
  const status = await statusOf(isTls, { host, port: flags.port });
  if (status !== 200) throw new Error(`it answered ${status}`);
} catch (error) {
  process.exitCode = exitCodeOf(error) ?? 1;
  if (process.exitCode === 1) {
    console.error(`Not healthy: /healthz of this server failed: ${(error as Error).message}`);
  }
}

function statusOf(
  isTls: boolean,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const options = { host, port, path: '/healthz', agent: false, signal } as const;
    // The certificate is for names outside, and the server asks itself.
    const request = isTls
      ? httpsRequest({ ...options, rejectUnauthorized: false })
      : httpRequest(options);
    request
      .on('response', (response) => {
        response.resume();
        resolve(response.statusCode);
      })
      .on('error', (error) =>
        reject(signal.aborted ? new Error(`no answer within ${TIMEOUT_MS} ms`) : error),
      )
      .end();
  });
}
