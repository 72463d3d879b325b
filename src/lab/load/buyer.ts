import { Client, type Dispatcher } from 'undici';
import { type BuyerAnswer, readAnswer } from './answer.js';

export interface LoadRequest {
  /** The gateway. */
  readonly url: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For requests that differ from each other. */
  readonly each?: () => { readonly path: string; readonly body: string };
}

/** Longer than the gateway waits for an instance: its 504 says more than a timeout of the client. */
const ANSWER_WITHIN_MS = 40_000;

export interface BuyerReply {
  readonly answer: BuyerAnswer;
  readonly instance: string;
}

/**
 * One buyer on one connection that is kept alive. The buyers share the machine with the system that they measure, so no
 * stream, URL or header object is created per request.
 */
export class LoadBuyer {
  private readonly client: Client;
  private readonly request: Dispatcher.DispatchOptions;
  private readonly each: LoadRequest['each'];

  constructor({ url, path, headers, body, each }: LoadRequest) {
    this.each = each;
    this.client = new Client(url, {
      pipelining: 1,
      headersTimeout: ANSWER_WITHIN_MS,
      bodyTimeout: ANSWER_WITHIN_MS,
    });
    this.request = {
      path,
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    };
  }

  buy(): Promise<BuyerReply> {
    return new Promise((resolve) => {
      let status = 0;
      let instance = '';
      let retryAfter: string | undefined;
      let body = '';
      this.client.dispatch(this.each ? { ...this.request, ...this.each() } : this.request, {
        onRequestStart() {
          // undici recognises this kind of handler by this method.
        },
        onResponseStart(_controller, statusCode, headers) {
          status = statusCode;
          instance = String(headers['x-instance'] ?? '');
          const asked = headers['retry-after'];
          if (typeof asked === 'string') retryAfter = asked;
        },
        onResponseData(_controller, chunk) {
          body += chunk.toString('utf8');
        },
        onResponseEnd() {
          resolve({ answer: readAnswer(status, body, retryAfter), instance });
        },
        onResponseError(_controller, error) {
          resolve({ answer: { kind: 'unknown', why: errorCode(error) }, instance });
        },
      });
    });
  }

  /** Closes the connection. The outcome of a request in flight is then unknown. */
  async leave(): Promise<void> {
    await this.client.destroy();
  }
}

function errorCode(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
