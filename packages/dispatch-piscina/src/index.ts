// A dispatcher whose workers are threads of piscina

export { createPiscinaDispatcher } from './create-piscina-dispatcher.ts';
export type { PiscinaOptions } from './piscina-options.ts';
