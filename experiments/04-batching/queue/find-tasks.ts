// Queries run in threads: `node:sqlite` blocks, the seed's database did not.
import { defineTasks } from '@ticketing/dispatch';
import { openWorms } from './worm-table.ts';

const find = openWorms(process.env['WORMS_FILE'] ?? '');
const tasks = { find: (wormClass: string) => find(wormClass) };
export type Tasks = typeof tasks;
export default defineTasks(tasks);
