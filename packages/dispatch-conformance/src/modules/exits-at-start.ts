import { writeSync } from 'node:fs';

writeSync(2, 'exits at start\n');
process.exit(3);
