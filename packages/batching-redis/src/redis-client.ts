/**
 * Members of a client that the coordinator uses, besides `evalshaBuffer` and `evalBuffer`, which are in no types. `Redis` and `Cluster`
 * of iovalkey and of ioredis have it.
 */
export interface RedisClient {
  /** State of the connection; `ready` once the client is connected. */
  readonly status: string;
  readonly isCluster?: boolean;
  readonly options?: object;
  subscribe(...channels: string[]): Promise<unknown>;
  unsubscribe(...channels: string[]): Promise<unknown>;
  ssubscribe(...channels: string[]): Promise<unknown>;
  sunsubscribe(...channels: string[]): Promise<unknown>;
  // biome-ignore lint/suspicious/noExplicitAny: as the clients declare it; no narrower type takes theirs
  on(event: string, listener: (...values: any[]) => void): unknown;
  // biome-ignore lint/suspicious/noExplicitAny: as the clients declare it; no narrower type takes theirs
  off(event: string, listener: (...values: any[]) => void): unknown;
  disconnect(): void;
}

/** A client of one server, which can open another connection of the same kind. */
export interface StandaloneClient extends RedisClient {
  duplicate(override?: object): RedisClient;
}

type Run = (
  script: string,
  keys: number,
  ...rest: (string | Buffer | number)[]
) => Promise<unknown>;

/** Scripts whose answers have Buffers for texts. `callBuffer` would lose its command in a pipeline that the client makes by itself. */
export interface ScriptingClient extends RedisClient {
  readonly evalshaBuffer: Run;
  readonly evalBuffer: Run;
}
