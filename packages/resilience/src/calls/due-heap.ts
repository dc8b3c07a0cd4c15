/** Something that is due at a time. */
export interface Due {
  /** Time at which it is due. Changed only by the owner of the heap, who then calls `moved`. */
  dueAt: number;
  /** Index in the heap; below 0 outside of it. Written by the heap while it has it. */
  place: number;
}

/** Binary heap in which each member knows its place, so that any of them can leave or get another time in a few steps. */
export class DueHeap<T extends Due> {
  readonly #members: T[] = [];

  get size(): number {
    return this.#members.length;
  }

  /** The member that is due first. */
  get first(): T | undefined {
    return this.#members[0];
  }

  add(member: T): void {
    this.#members.push(member);
    this.#rise(member, this.#members.length - 1);
  }

  /** Removes a member. */
  delete(member: T): void {
    const { place } = member;
    member.place = -1;
    const last = this.#members.pop() as T;
    if (last === member) return;
    last.place = place;
    this.#members[place] = last;
    this.moved(last);
  }

  /** Puts a member whose time has changed into its place. */
  moved(member: T): void {
    this.#rise(member, member.place);
    this.#sink(member, member.place);
  }

  /** Returns all that is due at a time. */
  dueAt(now: number): T[] {
    const due: T[] = [];
    const look = (place: number): void => {
      const member = this.#members[place];
      // What is below another one is due no earlier.
      if (member === undefined || member.dueAt > now) return;
      due.push(member);
      look(2 * place + 1);
      look(2 * place + 2);
    };
    look(0);
    return due;
  }

  /** Returns all members, in no order. */
  all(): T[] {
    return [...this.#members];
  }

  #rise(member: T, from: number): void {
    let place = from;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const other = this.#members[above] as T;
      if (other.dueAt <= member.dueAt) break;
      this.#put(other, place);
      place = above;
    }
    this.#put(member, place);
  }

  #sink(member: T, from: number): void {
    let place = from;
    for (;;) {
      const left = 2 * place + 1;
      const right = this.#members[left + 1];
      let below = this.#members[left];
      if (below === undefined) break;
      if (right !== undefined && right.dueAt < below.dueAt) below = right;
      if (below.dueAt >= member.dueAt) break;
      const free = below.place;
      this.#put(below, place);
      place = free;
    }
    this.#put(member, place);
  }

  #put(member: T, place: number): void {
    this.#members[place] = member;
    member.place = place;
  }
}
