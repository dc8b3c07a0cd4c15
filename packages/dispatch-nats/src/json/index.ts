// Tasks of a host for programs in other languages, by JSON over NATS

export type {
  NatsJsonEndpoint,
  NatsJsonOptions,
  NatsJsonStats,
} from '../contract/json-endpoint.ts';
export { serveJson } from './json-endpoint.ts';
