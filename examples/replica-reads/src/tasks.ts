// What the workers run. Each worker reads from one replica: its slot says which.
import { defineTasks } from '@ticketing/dispatch';

export interface Item {
  readonly id: string;
  readonly text: string;
}

export default defineTasks({
  async item(id: string, { workerData, signal }): Promise<Item | undefined> {
    // The signal aborts when another replica has answered first, or the client has left: the connection is closed then.
    const response = await fetch(`${workerData}/items/${encodeURIComponent(id)}`, { signal });
    if (response.ok) return (await response.json()) as Item;
    await response.body?.cancel();
    if (response.status === 404) return undefined;
    throw new Error(`Replica ${workerData} answered with ${response.status}`);
  },
});
