/** Table or collection of this demo alone, in a database that may have others: it is dropped when its documents are not those that are wanted. */
export const WORM_TABLE = 'ticketing_demo_worms';
