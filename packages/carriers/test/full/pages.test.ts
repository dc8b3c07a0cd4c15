// 200 searches over mixes of wires, each followed both ways over the day.
import { pageTests } from '../page-tests.ts';
import { FULL } from '../scale.ts';

pageTests(FULL);
