/** Class that no document of the store has. */
export const NO_CLASS = 'no-such-class';
