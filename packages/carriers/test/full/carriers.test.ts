import { silences, strikes, testSilences, testStrikes } from '../fault-cases.ts';

testStrikes(strikes);
testSilences(silences);
