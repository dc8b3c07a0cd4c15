// A dispatcher whose workers are child processes

export { createForkDispatcher } from './create-fork-dispatcher.ts';
export type { ForkOptions } from './fork-options.ts';
