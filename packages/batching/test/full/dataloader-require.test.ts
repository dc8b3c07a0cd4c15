import { schedules, testSchedules } from '../dataloader-programs.ts';

testSchedules(Object.keys(schedules) as (keyof typeof schedules)[]);
