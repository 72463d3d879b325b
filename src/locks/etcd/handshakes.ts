import { type Socket } from 'node:net';

/** What gRPC calls for each new TCP connection of a channel, and when the channel has no more use for connections. */
interface Connector {
  connect(socket: Socket): Promise<{ readonly socket: Socket; readonly secure: boolean }>;
  destroy(): void;
}

/** The part of gRPC's channel credentials that makes connectors. */
export interface ChannelCredentials {
  _createSecureConnector(...target: unknown[]): Connector;
}

/**
 * Closes a connection whose server has not answered the handshake after `ms`, or when its channel is closed. gRPC waits for
 * the server's first HTTP/2 frame without a limit, opens no other connection meanwhile, and goes on waiting after `close`.
 */
export function limitHandshakes(credentials: ChannelCredentials, ms: number): void {
  const create = credentials._createSecureConnector.bind(credentials);
  credentials._createSecureConnector = (...target) => limited(create(...target), ms);
}

function limited(connector: Connector, ms: number): Connector {
  const connect = connector.connect.bind(connector);
  const destroy = connector.destroy.bind(connector);
  const handshakes = new Set<Handshake>();
  let closed = false;
  connector.connect = async (socket) => {
    // gRPC closes the socket when this fails.
    if (closed) throw new Error('The channel was closed.');
    const handshake = new Handshake(socket, ms);
    handshakes.add(handshake);
    socket.once('close', () => {
      handshake.end();
      handshakes.delete(handshake);
    });
    return handshake.by(connect);
  };
  connector.destroy = () => {
    closed = true;
    for (const handshake of handshakes) handshake.end();
    destroy();
  };
  return connector;
}

/** From the TCP connection to the server's first HTTP/2 frame. */
class Handshake {
  /** What HTTP/2 reads from: the socket, or TLS on top of it. */
  private opened: Socket | undefined;
  private readonly limit: NodeJS.Timeout;

  constructor(
    private readonly socket: Socket,
    ms: number,
  ) {
    this.limit = setTimeout(() => {
      this.end();
    }, ms).unref();
  }

  async by(connect: Connector['connect']): ReturnType<Connector['connect']> {
    const result = await connect(this.socket);
    if (this.socket.destroyed) throw new Error('The server did not answer the handshake in time.');
    this.opened = result.socket;
    return result;
  }

  /** Leaves a connection alone whose server has answered: gRPC closes it after its last call. */
  end(): void {
    clearTimeout(this.limit);
    if (!this.opened?.bytesRead) this.socket.destroy();
  }
}
