import { isFarewell } from '../link/session-message.ts';

/** Most dispatchers that are notified of an ended session until the next tick. */
const MAX_TOLD = 256;
/** End of a host's subject: the id of a dispatcher, which is two tokens, and the number of a session. */
const sessionKey = /^([a-z0-9-]{1,32}\.[a-z0-9]{8})\.(\d{1,16})$/;

/** Reports the end of a session to a dispatcher that still sends over it. */
export class EndedSessions {
  readonly #told = new Set<string>();
  readonly #tell: (dispatcher: string, session: string) => void;

  constructor(tell: (dispatcher: string, session: string) => void) {
    this.#tell = tell;
  }

  receive(data: Uint8Array, key: string): void {
    if (isFarewell(data) || this.#told.has(key) || this.#told.size >= MAX_TOLD) return;
    const parts = sessionKey.exec(key);
    if (parts === null) return;
    const [, dispatcher = '', session = ''] = parts;
    this.#told.add(key);
    this.#tell(dispatcher, session);
  }

  tick(): void {
    this.#told.clear();
  }
}
