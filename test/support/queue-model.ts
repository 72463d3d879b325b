/** A client at a lock. */
export interface Person {
  readonly id: number;
  readonly role: 'reader' | 'writer';
}

/** What the queue in Redis should do, in a few lines without time, messages or crashes. */
export class QueueModel {
  private holders: Person[] = [];
  private queue: Person[] = [];

  get holding(): readonly number[] {
    return ids(this.holders);
  }

  get waiting(): readonly number[] {
    return ids(this.queue);
  }

  arrive(person: Person): void {
    this.queue.push(person);
    this.admit();
  }

  /** Released, timed out or crashed: for the other clients there is no difference. */
  depart(id: number): void {
    this.holders = this.holders.filter((person) => person.id !== id);
    this.queue = this.queue.filter((person) => person.id !== id);
    this.admit();
  }

  private admit(): void {
    for (let next = this.queue[0]; next && this.mayEnter(next); next = this.queue[0]) {
      this.queue.shift();
      this.holders.push(next);
    }
  }

  private mayEnter({ role }: Person): boolean {
    return role === 'writer'
      ? this.holders.length === 0
      : this.holders.every((holder) => holder.role === 'reader');
  }
}

function ids(people: readonly Person[]): readonly number[] {
  return people.map(({ id }) => id).sort((a, b) => a - b);
}
