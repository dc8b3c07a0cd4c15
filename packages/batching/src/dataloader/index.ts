// The API of npm's `dataloader` 2.2.3, to be imported or required in its place
// `module.exports` is what `require()` gives (Node 20.19 and later), as it is of npm's.
export {
  DataLoader as default,
  DataLoader,
  DataLoader as 'module.exports',
} from './data-loader.ts';
export type {
  DataLoaderBatchLoad as BatchLoadFn,
  DataLoaderCacheMap as CacheMap,
  DataLoaderOptions as Options,
} from './data-loader-options.ts';
