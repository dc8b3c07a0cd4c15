import { testMessages } from '../message-stream-cases.ts';

testMessages(100);
