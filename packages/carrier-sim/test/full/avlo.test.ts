import { testLocalDay } from '../avlo-cases.ts';

testLocalDay(200);
