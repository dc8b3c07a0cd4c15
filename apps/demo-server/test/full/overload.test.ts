import { testLimit } from '../overload-cases.ts';

testLimit('cluster');
testLimit('passthru');
