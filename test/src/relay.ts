/** A relay of TCP connections that can be cut: a network that fails while both ends are well. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Relay {
  port: number;
  /** Breaks all connections and lets none through any more. */
  cut(): void;
  mend(): void;
  stop(): Promise<void>;
}

/** Relays a free port of 127.0.0.1 to another one. */
export async function startRelay(to: number): Promise<Relay> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const keep = (socket: Socket, other: Socket) => {
    sockets.add(socket);
    // Whatever ends one half ends the other; an error is followed by a close.
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      other.destroy();
    });
    socket.pipe(other);
  };
  const server = createServer(incoming => {
    if (isCut) {
      incoming.destroy();
      return;
    }
    const outgoing = connect(to, '127.0.0.1');
    keep(incoming, outgoing);
    keep(outgoing, incoming);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const breakAll = () => sockets.forEach(socket => socket.destroy());
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true;
      breakAll();
    },
    mend() {
      isCut = false;
    },
    stop: () =>
      new Promise((resolve, reject) => {
        server.close(error => (error ? reject(error) : resolve()));
        breakAll();
      }),
  };
}
