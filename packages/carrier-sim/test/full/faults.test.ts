import { carriers, testFaults } from '../fault-cases.ts';

testFaults(carriers);
