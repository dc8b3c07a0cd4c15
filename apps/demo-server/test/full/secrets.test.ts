import { secretUrl, testDatabase, testServer } from '../secrets-cases.ts';

testServer(true);
testServer(false);
testDatabase(secretUrl('postgres'));
testDatabase(`${secretUrl('mongodb')}&serverSelectionTimeoutMS=100`);
