import { secretUrl, testDatabase, testServer } from '../secrets-cases.ts';

testServer(false);
testDatabase(`${secretUrl('mongodb')}&serverSelectionTimeoutMS=100`);
