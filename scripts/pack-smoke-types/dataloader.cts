// The drop-in as CommonJS has it.
import DataLoader = require('@ticketing/batching/dataloader');

const load: DataLoader.BatchLoadFn<number, string> = async (keys) => keys.map(String);
const options: DataLoader.Options<number, string> = { name: 'texts' };
export const loader: DataLoader<number, string> = new DataLoader(load, options);
