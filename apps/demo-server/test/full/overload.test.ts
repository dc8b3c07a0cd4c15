import { testLimit } from '../overload-cases.ts';

testLimit('cluster');
testLimit('socket');
testLimit('passthru');
