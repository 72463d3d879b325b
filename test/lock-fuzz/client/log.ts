import { now } from '../clock.js';
import { type CallEvent, type Event, type Observation, type RunEvent } from '../history.js';

/** The events of one client. */
export class ClientLog {
  constructor(
    private readonly client: number,
    private readonly write: (event: Event) => void,
  ) {}

  call(call: string, observation: Observation, at = now()): void {
    this.put({ ...observation, call }, at);
  }

  run(event: RunEvent, at = now()): void {
    this.put(event, at);
  }

  private put(event: CallEvent | RunEvent, at: number): void {
    this.write({ at, client: this.client, ...event });
  }
}
