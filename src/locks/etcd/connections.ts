import { type Socket } from 'node:net';

/** What gRPC calls for each new TCP connection. */
interface Connector {
  connect(socket: Socket): Promise<{ readonly socket: Socket; readonly secure: boolean }>;
}

/** The part of gRPC's channel credentials that makes connectors. */
export interface ChannelCredentials {
  _createSecureConnector(...target: unknown[]): Connector;
}

/**
 * The TCP connections of one gRPC client, which must share none with other clients. gRPC itself waits for the server's first
 * HTTP/2 frame without a limit, opens no other connection meanwhile, and continues to wait when its channel is closed.
 */
export class Connections {
  private readonly open = new Set<Socket>();
  private closed = false;

  constructor(
    credentials: ChannelCredentials,
    /** How long a server may take from the TCP connection to its first HTTP/2 frame. */
    private readonly handshakeMs: number,
  ) {
    const create = credentials._createSecureConnector.bind(credentials);
    credentials._createSecureConnector = (...target) => this.watched(create(...target));
  }

  /** Closes all connections at once, and every later one. */
  close(): void {
    this.closed = true;
    for (const socket of this.open) socket.destroy();
  }

  private watched(connector: Connector): Connector {
    const connect = connector.connect.bind(connector);
    connector.connect = async (socket) => {
      // gRPC closes the socket when this fails.
      if (this.closed) throw new Error('The client was closed.');
      // HTTP/2 reads from the socket, or from TLS on top of it.
      const http2: { reader?: Socket } = {};
      const limit = setTimeout(() => {
        if (!http2.reader?.bytesRead) socket.destroy();
      }, this.handshakeMs).unref();
      this.open.add(socket);
      socket.once('close', () => {
        clearTimeout(limit);
        this.open.delete(socket);
      });
      const result = await connect(socket);
      if (socket.destroyed) throw new Error('The server did not answer the handshake in time.');
      http2.reader = result.socket;
      return result;
    };
    return connector;
  }
}
