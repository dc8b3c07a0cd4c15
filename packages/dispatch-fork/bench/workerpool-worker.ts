import { burn, echo, residentBytes, threadCpuUs } from '@ticketing/dispatch/bench/work';
import workerpool from 'workerpool';

workerpool.worker({ burn, echo, residentBytes, threadCpuUs });
