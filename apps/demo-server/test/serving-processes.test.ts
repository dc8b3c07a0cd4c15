import { testTermination } from './serving-cases.ts';

testTermination('socket', 'cluster');
