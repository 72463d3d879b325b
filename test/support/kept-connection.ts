import { Agent, request } from 'node:http';

export interface KeptAnswer {
  readonly status: number;
  /** The server says that it closes the connection. */
  readonly closes: boolean;
}

/** One connection that stays open between requests, as that of a gateway does. */
export class KeptConnection {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(private readonly url: string) {}

  get(path: string): Promise<KeptAnswer> {
    return new Promise((resolve, reject) => {
      request(`${this.url}${path}`, { agent: this.agent }, (answer) => {
        answer.resume().on('end', () => {
          resolve({ status: answer.statusCode ?? 0, closes: answer.headers.connection === 'close' });
        });
      })
        .on('error', reject)
        .end();
    });
  }
}
