/** A member of a {@link LinkedList}, which has its links: undefined outside of one. */
export interface Linked {
  previous: this | undefined;
  next: this | undefined;
  list: object | undefined;
}

/**
 * Members in the order of their coming, each in one list at a time; removal costs the same anywhere. For members that come and go
 * all the time: a `Set` makes a new table after every few of them, and once the collector has moved one table to the old
 * generation it keeps all later ones, with members that are gone, until the next full collection.
 */
export class LinkedList<T extends Linked> {
  #first: T | undefined;
  #last: T | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): T | undefined {
    return this.#first;
  }

  /** Adds a member that is in no list, behind all others. */
  add(member: T): void {
    member.list = this;
    member.previous = this.#last;
    if (this.#last === undefined) this.#first = member;
    else this.#last.next = member;
    this.#last = member;
    this.#size += 1;
  }

  /** Removes a member. @returns whether it was here */
  delete(member: T): boolean {
    if (member.list !== this) return false;
    const { previous, next } = member;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    member.previous = undefined;
    member.next = undefined;
    member.list = undefined;
    this.#size -= 1;
    return true;
  }

  /** Removes and returns all, in their order. */
  take(): T[] {
    const all = [...this];
    for (const member of all) this.delete(member);
    return all;
  }

  /** Iterates over the members in order. Only the member that was given last may be removed meanwhile. */
  *[Symbol.iterator](): IterableIterator<T> {
    let member = this.#first;
    while (member !== undefined) {
      const { next }: T = member;
      yield member;
      member = next;
    }
  }
}
