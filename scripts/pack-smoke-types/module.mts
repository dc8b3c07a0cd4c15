// A program written for the types of npm's dataloader, with its import renamed.
import DataLoader, {
  type BatchLoadFn,
  type CacheMap,
  type Options,
} from '@ticketing/batching/dataloader';

const load: BatchLoadFn<number, string> = async (keys) => keys.map(String);
const cacheMap: CacheMap<number, Promise<string>> = new Map();
const options: Options<number, string> = { cacheMap };
const sameOptions: DataLoader.Options<number, string> = options;
export const loader: DataLoader<number, string> = new DataLoader(load, sameOptions);
