import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import { LabError } from './errors.js';

/**
 * Below the ports that the system gives to outgoing connections, and at random: between the choice and the start of the
 * server nothing holds a port, and neither a connection nor another lab should get it by the same reasoning.
 */
const CHOICE = { from: 15_000, to: 32_000 };
const TRIES = 100;

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
  return close(await openAny());
}

/** Several of them; all are held until the last one is found, so that none comes twice. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, openAny));
  return Promise.all(servers.map(close));
}

async function openAny(): Promise<Server> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await open(randomInt(CHOICE.from, CHOICE.to));
    } catch (error) {
      if (tries === TRIES) throw new LabError(`No free port: ${(error as Error).message}`);
    }
  }
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
