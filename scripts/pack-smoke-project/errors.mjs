// What Node.js prints of an error of each package: the name of its class, not the one that a bundler gave it.
import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { BatchingError } from '@ticketing/batching';
import { createCoordinator, createMemoryStore } from '@ticketing/batching/shared';
import { CarrierSimError } from '@ticketing/carrier-sim';
import { CarrierError, RailError } from '@ticketing/core';
import { DispatchError } from '@ticketing/dispatch';
import { GuardError } from '@ticketing/resilience';
import { RouterError } from '@ticketing/socket-router';

const classes = {
  BatchingError,
  CarrierError,
  CarrierSimError,
  DispatchError,
  GuardError,
  RailError,
  RouterError,
};
for (const [name, Class] of Object.entries(classes)) {
  const error = new Class('ERR_X', 'Cannot go on', { data: {} });
  assert.match(inspect(error), new RegExp(`^${name}: Cannot go on\\n {4}at `));
}
const coordinator = createCoordinator(createMemoryStore());
await coordinator.close();
const error = await coordinator.forget('key').catch((refused) => refused);
assert.match(inspect(error), /^BatchingError: /);
console.log(`node ${process.version}: names of errors`);
