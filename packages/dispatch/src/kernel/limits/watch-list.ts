/** Member of at most one list at a time. */
export interface Listed<T> {
  /** The list that has it, and its place there; set by the list alone. */
  list: WatchList<T> | undefined;
  listedAt: number;
}

/** Insertion-ordered list with removal in one step and without allocation. */
export class WatchList<T> {
  /** Members, with a gap for each that has left; from `#end` on there are gaps alone. */
  readonly #members: ((T & Listed<T>) | undefined)[] = [];
  #end = 0;
  #size = 0;

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  add(member: T & Listed<T>): void {
    member.list = this;
    member.listedAt = this.#end;
    if (this.#end < this.#members.length) this.#members[this.#end] = member;
    else this.#members.push(member);
    this.#end += 1;
    this.#size += 1;
  }

  /** Removes a member of this list. */
  remove(member: T & Listed<T>): void {
    member.list = undefined;
    this.#members[member.listedAt] = undefined;
    this.#size -= 1;
    if (this.#size === 0) this.#end = 0;
  }

  /** Calls `visit` with each member. It may remove any of them. */
  forEach(visit: (member: T & Listed<T>) => void): void {
    for (let place = 0; place < this.#end; place += 1) {
      const member = this.#members[place];
      if (member !== undefined) visit(member);
    }
  }
}
