import { defineTasks, type TaskContext } from '@ticketing/dispatch';

/** Tasks for the primary, which join equal searches at once, and a record of their runs. */
export function makeTasks() {
  const seen = {
    runs: 0,
    running: 0,
    most: 0,
    made: 0,
    aborted: [] as unknown[],
    log: [] as string[],
  };
  const searches = new Map<string, Promise<string>>();
  async function searchUpstream(query: string): Promise<string> {
    seen.runs += 1;
    seen.running += 1;
    seen.most = Math.max(seen.most, seen.running);
    await new Promise((resolve) => setTimeout(resolve, 300));
    seen.running -= 1;
    searches.delete(query);
    return `found ${query} ${seen.runs}`;
  }
  const tasks = {
    search(query: string) {
      const search = searches.get(query) ?? searchUpstream(query);
      searches.set(query, search);
      return search;
    },
    endless: (_: undefined, { signal }: TaskContext) =>
      new Promise<never>((_resolve, reject) => {
        seen.log.push('endless');
        signal.addEventListener('abort', () => {
          seen.aborted.push(signal.reason);
          reject(signal.reason);
        });
      }),
    /** Yields numbers from 1, and reports how many it has made, and its end. */
    async *numbers(count: number) {
      try {
        for (let number = 1; number <= count; number += 1) {
          seen.made = number;
          yield number;
        }
      } finally {
        seen.log.push('numbers ended');
      }
    },
    fail(message: string) {
      throw Object.assign(new RangeError(message), { code: 'ERR_UPSTREAM' });
    },
  };
  const module = defineTasks(tasks, {
    setup: () => void seen.log.push('setup'),
    teardown: () => void seen.log.push('teardown'),
  });
  return { seen, module };
}
export type PrimaryTasks = ReturnType<typeof makeTasks>['module']['tasks'];
