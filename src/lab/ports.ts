import { createServer } from 'node:net';
import { LabError } from './errors.js';

function listen(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        resolve(typeof address === 'object' && address ? address.port : port);
      });
    });
  });
}

/** A port that nobody listens on at the moment. */
export function freePort(): Promise<number> {
  return listen(0);
}

/** The wanted port; where it is taken and was only a default, the next free one. */
export async function choosePort(wanted: number, isDefault: boolean): Promise<number> {
  const last = isDefault ? wanted + 100 : wanted;
  for (let port = wanted; port <= last; port += 1) {
    try {
      return await listen(port);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EACCES') {
        throw new LabError(`Port ${port} needs root. Choose one above 1023 with --port.`);
      }
    }
  }
  throw new LabError(`Port ${wanted} is in use. Stop what listens there, or choose another one with --port.`);
}
