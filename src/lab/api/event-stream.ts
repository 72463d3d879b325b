import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type Events, type LabEvent, type Listener } from './event-log.js';

const HEARTBEAT_MS = 15_000;
/** A client that is further behind is disconnected; it may reconnect with Last-Event-ID. */
const MAX_BEHIND_BYTES = 8_000_000;

/** Sends events as text/event-stream, beginning after Last-Event-ID. */
export function sendEvents(request: IncomingMessage, response: ServerResponse, events: Events): void {
  const stream = new EventStream(response);
  const stopListening = events.listen(lastEventId(request), stream);
  stream.begin();
  const heartbeat = setInterval(() => {
    if (!response.writableEnded) response.write(': still here\n\n');
  }, HEARTBEAT_MS);
  response.on('close', () => {
    clearInterval(heartbeat);
    stopListening();
  });
}

class EventStream implements Listener {
  constructor(private readonly response: ServerResponse) {}

  /** Sends the headers, unless they were sent with the first event or the end. */
  begin(): void {
    if (this.response.headersSent) return;
    this.response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    this.response.write('retry: 1000\n\n');
  }

  onEvent({ id, name, data }: LabEvent): void {
    // The stream was closed to make room for another one.
    if (this.response.writableEnded) return;
    this.begin();
    this.response.write(`id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
    if (this.response.writableLength > MAX_BEHIND_BYTES) this.response.destroy();
  }

  onEnd(): void {
    // 204 tells a browser that reconnects after the end not to reconnect again.
    if (!this.response.headersSent) this.response.writeHead(204);
    this.response.end();
  }
}

function lastEventId({ headers }: IncomingMessage): number {
  const given = headers['last-event-id'];
  return typeof given === 'string' && /^\d{1,9}$/.test(given) ? Number(given) : 0;
}
