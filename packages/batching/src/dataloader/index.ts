// The API of npm's `dataloader` 2.2.3, to be imported in its place
export { DataLoader as default, DataLoader } from './data-loader.ts';
