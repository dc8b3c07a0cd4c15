// Module that a worker of the dispatcher loads.
import { defineTasks, json, rawJson, transferred } from '@ticketing/dispatch';
import { recordsOf } from '@ticketing/dispatch/bench/payloads';
import { burn, echo, heapBytes, repeat, threadCpuUs } from '@ticketing/dispatch/bench/work';

const records = recordsOf(10_000);

const tasks = {
  burn,
  echo,
  echoJson: json((value: unknown) => echo(value)),
  heapBytes,
  threadCpuUs,
  pass: (buffer: ArrayBuffer) => transferred(buffer, [buffer]),
  records: () => records,
  repeat,
  recordsAsJson: () => rawJson(records),
};
export type Tasks = typeof tasks;
export default defineTasks(tasks);
