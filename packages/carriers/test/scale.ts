/** How often a property is tried, by how often the full tests try it. */
export type Runs = (full: number) => number;

export const FAST: Runs = (full) => Math.ceil(full / 50);
export const FULL: Runs = (full) => full;
