import { burn, echo, residentBytes } from '@ticketing/dispatch/bench/work';
import workerpool from 'workerpool';

workerpool.worker({ burn, echo, residentBytes });
