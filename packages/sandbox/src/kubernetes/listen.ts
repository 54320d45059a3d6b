/** Serves an application on loopback. */
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type express from 'express';

/** A running server. */
export interface RunningSandbox {
  /** For example `http://127.0.0.1:41234`. */
  url: string;
  /** Ends all connections, watches included. */
  close(): Promise<void>;
}

/** Starts on 127.0.0.1; port 0 takes a free one. */
export async function listen(
  app: express.Express,
  port: number,
): Promise<RunningSandbox> {
  const server = createServer(app);
  const sockets = new Set<Socket>();
  server.on('connection', socket => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise<void>((resolve, reject) => {
        server.close(error => (error ? reject(error) : resolve()));
        sockets.forEach(socket => socket.destroy());
      }),
  };
}
