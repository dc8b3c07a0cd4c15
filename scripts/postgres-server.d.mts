export interface PostgresServer {
  /** With its user and password. */
  readonly url: string;
  /** Again, after `stop`. */
  start(): Promise<void>;
  stop(signal?: 'SIGINT' | 'SIGQUIT'): Promise<void>;
  close(): Promise<void>;
}
export function postgresPrograms(): string | undefined;
export function startPostgres(): Promise<PostgresServer>;
