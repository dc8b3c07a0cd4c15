// A dispatcher whose workers are child processes

export type { ForkOptions } from './create-fork-dispatcher.ts';
export { createForkDispatcher } from './create-fork-dispatcher.ts';
