import { testServerOfOtherKind } from '../circuit-cases.ts';

testServerOfOtherKind('https', 'passthru');
testServerOfOtherKind('http2', 'passthru');
testServerOfOtherKind('h2c', 'passthru');
