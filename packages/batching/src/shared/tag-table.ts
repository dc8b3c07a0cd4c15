import { createHash } from 'node:crypto';
import { ForgottenTags } from '../forgotten-tags.ts';
import type { Coordinator, ValueTags } from './coordinator.ts';

/** Tags of one name that were forgotten, as this process knows them: it asks the engine for those since the last time. */
export class TagTable {
  readonly #coordinator: Coordinator;
  readonly #name: string;
  #forgotten: ForgottenTags | undefined;
  #asking: Promise<number | undefined> | undefined;

  constructor(coordinator: Coordinator, name: string) {
    this.#coordinator = coordinator;
    this.#name = name;
  }

  /** Tags that are remembered as forgotten. */
  get size(): number {
    return this.#forgotten?.size ?? 0;
  }

  /** Resolves with the time of the last tag that was forgotten, of all processes; `undefined` if the engine was not reached. */
  ask(): Promise<number | undefined> {
    if (this.#asking === undefined) {
      this.#asking = this.#ask();
      // Calls that begin together ask once: none of them can know of a tag that was forgotten in between.
      queueMicrotask(() => {
        this.#asking = undefined;
      });
    }
    return this.#asking;
  }

  async #ask(): Promise<number | undefined> {
    const since = this.#forgotten?.last ?? 0;
    const answer = await this.#coordinator.forgottenTags(this.#name, since);
    if (answer === undefined) return undefined;
    this.#forgotten ??= new ForgottenTags(answer.floor);
    this.#forgotten.raise(answer.floor);
    for (const [tag, time] of answer.tags) this.#forgotten.forget(tag, time);
    return this.#forgotten.last;
  }

  /**
   * Resolves to whether a value with these tags may be used, to `undefined` if the engine was not reached. `asked` is the answer
   * to this call's `ask`. The engine is asked again for a value that is newer, and for one that was tagged by a loader of other
   * options.
   */
  async isCurrent({ ids, at }: ValueTags, asked: number | undefined): Promise<boolean | undefined> {
    const last = asked === undefined || at > asked ? await this.ask() : asked;
    if (last === undefined) return undefined;
    return at <= last && !this.#forgotten?.isOutdated(ids, at);
  }

  forget(tag: string): Promise<void> {
    return this.#coordinator.forgetTag(this.#name, tagId(tag));
  }
}

/** Returns a tag's name in the engine: of fixed length, and without its text. */
export function tagId(tag: string): string {
  // As UTF-8 all lone surrogates are equal.
  return createHash('sha256').update(tag, 'utf16le').digest('base64url').slice(0, 22);
}
