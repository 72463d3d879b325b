import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';

/** Knows that the instance is on its way out, so that readiness fails before anything is closed. */
@Injectable()
export class Shutdown implements BeforeApplicationShutdown {
  begun = false;

  beforeApplicationShutdown(): void {
    this.begun = true;
  }
}
