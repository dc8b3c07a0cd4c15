import { checkNothingEscapes, testForeignFrame } from '../foreign-frames-cases.ts';

checkNothingEscapes();

testForeignFrame('cells that are no JSON', 'postAndExit');
testForeignFrame('cells that are no list', 'post');
testForeignFrame('cells that are no list', 'postAndExit');
testForeignFrame('a code that does not exist', 'post');
testForeignFrame('a code that does not exist', 'postAndExit');
testForeignFrame('a number that is a text', 'post');
