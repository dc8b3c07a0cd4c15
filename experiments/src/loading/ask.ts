import type { Dispatcher } from 'undici';

/** One request. */
export interface Asked {
  readonly path: string;
  readonly body?: Uint8Array | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Asks the server to close the connection after the answer. */
  readonly isLast?: boolean;
}

/** Sends a request, reads the answer to its end and gives the status. The body is not kept. */
export function ask(
  dispatcher: Dispatcher,
  { path, body, headers, isLast }: Asked,
): Promise<number> {
  return new Promise((resolve, reject) => {
    let status = 0;
    dispatcher.dispatch(
      {
        path,
        method: body === undefined ? 'GET' : 'POST',
        ...(body && { body }),
        ...(headers && { headers: { ...headers } }),
        reset: isLast ?? false,
      },
      {
        onRequestStart() {},
        onResponseStart(_controller, code) {
          status = code;
        },
        onResponseData() {},
        onResponseEnd: () => resolve(status),
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}
