import { readFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { ROOT } from '../../src/lab/paths.js';
import { freePort } from '../../src/lab/ports.js';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

/** An event stream as an answer: these events, and then silence. */
export class EventStream {
  constructor(readonly events: readonly { readonly name: string; readonly data: unknown }[]) {}
}

/** The built page with prepared answers instead of a lab, for states that a lab reaches only by luck. */
export class PageServer {
  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async open(answers: Readonly<Record<string, unknown>>): Promise<PageServer> {
    const port = await freePort();
    const server = createServer((request, response) => {
      const path = (request.url ?? '/').split('?')[0] ?? '/';
      if (Object.hasOwn(answers, path)) answer(response, answers[path]);
      else serveFile(response, path === '/' ? '/index.html' : path);
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return new PageServer(server, `http://localhost:${port}`);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

function answer(response: ServerResponse, value: unknown): void {
  if (!(value instanceof EventStream)) {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
    return;
  }
  response.setHeader('content-type', 'text/event-stream');
  for (const [id, { name, data }] of value.events.entries()) {
    response.write(`id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  }
}

function serveFile(response: ServerResponse, path: string): void {
  try {
    const file = readFileSync(join(ROOT, 'dist/web', path));
    response.setHeader('content-type', TYPES[extname(path)] ?? 'application/json').end(file);
  } catch {
    response.writeHead(404).end();
  }
}
