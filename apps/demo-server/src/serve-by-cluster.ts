import { claimAddress } from './claim-address.ts';
import type { ServeGiven, Serving } from './serving.ts';
import { startServing } from './start-serving.ts';
import { urlOf } from './url-of.ts';

/** Processes that all listen serve; this one starts them, gives them connections, and has what they share. */
export async function serveByCluster(given: ServeGiven): Promise<Omit<Serving, 'carriersUrl'>> {
  const { flags } = given;
  const bound = await claimAddress(flags);
  const address = { host: bound.address, port: bound.port };
  const supervisor = startServing(given, { connections: 'shared', address });
  try {
    await supervisor.ready();
  } catch (error) {
    await supervisor.close();
    throw error;
  }
  return {
    url: urlOf(flags, bound),
    reload: () => supervisor.reload(),
    close: () => supervisor.close(),
  };
}
