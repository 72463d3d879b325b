import { createServer, type Server } from 'node:net';
import { LabError } from './errors.js';

function open(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      resolve(server);
    });
  });
}

function close(server: Server): Promise<number> {
  const address = server.address();
  return new Promise((resolve) => {
    server.close(() => {
      resolve(typeof address === 'object' && address ? address.port : 0);
    });
  });
}

/** A port that nobody listens on at the moment. */
export async function freePort(): Promise<number> {
  return close(await open(0));
}

/** Several of them; all are held until the last one is found, so that none comes twice. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, () => open(0)));
  return Promise.all(servers.map(close));
}

/** The wanted port; where it is taken and was only a default, the next free one. */
export async function choosePort(wanted: number, isDefault: boolean): Promise<number> {
  const last = isDefault ? wanted + 100 : wanted;
  for (let port = wanted; port <= last; port += 1) {
    try {
      return await close(await open(port));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EACCES') {
        throw new LabError(`Port ${port} needs root. Choose one above 1023 with --port.`);
      }
    }
  }
  throw new LabError(`Port ${wanted} is in use. Stop what listens there, or choose another one with --port.`);
}
