import { createCoalescer } from '@ticketing/batching';
import { createInProcessDispatcher, type Dispatcher, defineTasks } from '@ticketing/dispatch';
import { createNatsDispatcher, serveNatsTasks } from '@ticketing/dispatch-nats';
import { askRedis, type Work } from './ask-redis.ts';
import { type Call, epoch, type LoadsGiven, type ServingHostGiven } from './messages.ts';

type WorkFleet = Dispatcher<{ work: (input: { id: string; deadline: number }) => Promise<Work> }>;

/** Returns a function that asks for hot keys: equal questions of all serving hosts share a load. */
export async function askLoads(
  given: ServingHostGiven & { readonly loads?: LoadsGiven },
  { fleet }: { readonly fleet: WorkFleet },
): Promise<(asked: { readonly number: number }) => Promise<Partial<Call>>> {
  const { keys = 1 } = given.loads ?? {};
  const { name, timeoutMs, servers } = given;
  let loads = 0;
  const load = async (key: string, { signal }: { signal: AbortSignal }): Promise<Work> => {
    loads += 1;
    const id = `load ${key} ${name} ${loads}`;
    const deadline = epoch() + timeoutMs;
    const options = { signal, timeoutMs, idempotent: true, retries: 1 } as const;
    return await fleet.run('work', { id, deadline }, options);
  };
  if (given.loads?.by === 'redis') return askRedis(given, load);
  const local = createCoalescer(load, { name: 'loads' });
  const ownerFleet = `${given.fleet}-owners`;
  const host = serveNatsTasks({
    nats: { servers: [...servers] },
    fleet: ownerFleet,
    hostId: name,
    dispatcher: createInProcessDispatcher(
      defineTasks({ load: (key: string, { signal }) => local.get(key, { signal }) }),
    ),
    tasks: ['load'],
  });
  const owners = createNatsDispatcher({
    nats: { servers: [...servers] },
    fleet: ownerFleet,
    name,
    beatMs: given.beatMs,
    missedBeats: given.missedBeats,
  });
  await host.ready();
  await owners.ready();
  return async ({ number }) => {
    const key = `key-${number % keys}`;
    const value =
      owners.ownerOf(key) === host.id
        ? await local.get(key, { signal: AbortSignal.timeout(timeoutMs) })
        : await owners.run('load', key, { key, timeoutMs, idempotent: true, retries: 1 });
    return { ...(value as Work), key };
  };
}
