// Share the bytes of a body: encode it once for all clients who get it, with its tag

// To serve.
export { createSharedBodies } from './create-shared-bodies.ts';
export type {
  BodyAnswer,
  BodyHeaders,
  BodyRequest,
  BodyToSend,
  EncodeBody,
  HttpExchange,
  SharedBodies,
  SharedBodiesOptions,
  SharedBodiesStats,
} from './shared-bodies.ts';
