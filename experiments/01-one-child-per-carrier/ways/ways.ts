import { createInProcessDispatcher, type Dispatcher } from '@ticketing/dispatch';
import { createForkDispatcher } from '@ticketing/dispatch-fork';
import { createPiscinaDispatcher } from '@ticketing/dispatch-piscina';
import { forkChild } from './carrier-child.ts';
import tasks, { type Tasks } from './tasks.ts';
import { CARRIERS, type Way, type WayName } from './way.ts';

const MODULE = new URL('tasks.ts', import.meta.url);

/** The compared ways, by name; `workers`: size of a pool. */
export const ways: Readonly<Record<WayName, (workers: number) => Way | Promise<Way>>> = {
  'in-process': () => dispatched(createInProcessDispatcher(tasks)),
  'fork-per-search': forkPerSearch,
  'child-per-carrier': childPerCarrier,
  'fork-pool': (workers) => dispatched(createForkDispatcher<Tasks>(MODULE, { max: workers })),
  'piscina-pool': (workers) => dispatched(createPiscinaDispatcher<Tasks>(MODULE, { max: workers })),
};

/** The seed's way: each search forks one child per carrier, which answers once and exits. */
function forkPerSearch(): Way {
  const ending = new Set<Promise<void>>();
  return {
    async run(call) {
      const child = forkChild();
      try {
        return await child.run(call);
      } finally {
        const end = child.close().finally(() => ending.delete(end));
        ending.add(end);
      }
    },
    async close() {
      await Promise.all(ending);
    },
  };
}

/** The further study that the seed suggests: one kept child per carrier; every search asks all of them. */
function childPerCarrier(): Way {
  const children = new Map(CARRIERS.map((carrier) => [carrier, forkChild()]));
  return {
    async run(call) {
      return children.get(call.carrier)?.run(call);
    },
    async close() {
      await Promise.all([...children.values()].map((child) => child.close()));
    },
  };
}

async function dispatched(dispatcher: Dispatcher<Tasks>): Promise<Way> {
  await dispatcher.ready();
  return {
    run: ({ task, input }) => dispatcher.run(task, input as never),
    close: () => dispatcher.close(),
  };
}
