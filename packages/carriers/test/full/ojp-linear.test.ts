import { testGrowths } from '../ojp/ojp-linear-cases.ts';

testGrowths(20_000);
