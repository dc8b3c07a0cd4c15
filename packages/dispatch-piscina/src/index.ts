// A dispatcher whose workers are threads of piscina

export type { PiscinaOptions } from './create-piscina-dispatcher.ts';
export { createPiscinaDispatcher } from './create-piscina-dispatcher.ts';
