import { type Socket } from 'node:net';

/**
 * The answer to what is sent next over this connection is dropped when it arrives, and the connection breaks: the server has
 * done the work, and the driver sees a network that failed.
 */
export function loseNextAnswer(socket: Socket): void {
  socket.removeAllListeners('data');
  socket.once('data', () => {
    socket.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' }));
  });
}
