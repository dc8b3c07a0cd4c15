// Module that a worker of the dispatcher loads.
import { defineTasks, json, rawJson } from '@ticketing/dispatch';
import { recordsOf } from '@ticketing/dispatch/bench/payloads';
import { burn, echo, repeat, residentBytes, threadCpuUs } from '@ticketing/dispatch/bench/work';

const records = recordsOf(10_000);

const tasks = {
  echo,
  echoJson: json((value: unknown) => echo(value)),
  burn,
  residentBytes,
  threadCpuUs,
  records: () => records,
  repeat,
  recordsAsJson: () => rawJson(records),
};
export type Tasks = typeof tasks;
export default defineTasks(tasks);
