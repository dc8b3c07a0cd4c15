// What scripts/postgres-server.mjs gives; that is no TypeScript, since it runs before anything is installed.
declare module '*/scripts/postgres-server.mjs' {
  export interface PostgresServer {
    /** With its user and password. */
    readonly url: string;
    /** Again, if it was stopped. */
    start(): Promise<void>;
    stop(signal?: 'SIGINT' | 'SIGQUIT'): Promise<void>;
    close(): Promise<void>;
  }
  export function startPostgres(): Promise<PostgresServer>;
}
