/** An argument of a command. */
export type RedisArgument = string | Uint8Array | number;

/** What the coordinator needs of a client. `Redis` and `Cluster` of iovalkey and of ioredis have it. */
export interface RedisClient {
  /** `ready` when it is connected. */
  readonly status: string;
  readonly isCluster?: boolean;
  readonly options?: object;
  /** Sends a command, and resolves with its answer; texts of it are Buffers. */
  callBuffer(command: string, ...args: (string | Buffer | number)[]): Promise<unknown>;
  subscribe(...channels: string[]): Promise<unknown>;
  unsubscribe(...channels: string[]): Promise<unknown>;
  ssubscribe(...channels: string[]): Promise<unknown>;
  sunsubscribe(...channels: string[]): Promise<unknown>;
  // biome-ignore lint/suspicious/noExplicitAny: listeners of any event
  on(event: string, listener: (...args: any[]) => void): unknown;
  // biome-ignore lint/suspicious/noExplicitAny: listeners of any event
  off(event: string, listener: (...args: any[]) => void): unknown;
  disconnect(): void;
}

/** A client of one server, which can open another connection of the same kind. */
export interface StandaloneClient extends RedisClient {
  duplicate(override?: object): RedisClient;
}
