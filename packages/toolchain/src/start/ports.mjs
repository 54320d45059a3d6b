// Finds out before anything starts whether something else listens on the ports.
import { connect } from 'node:net';

function answers(port, host) {
  return new Promise(resolve => {
    const socket = connect({ port, host });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** Those of the `[name, port]` pairs that something on this machine already answers on. */
export async function findTakenPorts(ports) {
  const checked = await Promise.all(
    ports.map(async ([name, port]) => {
      const hosts = await Promise.all([
        answers(port, '127.0.0.1'),
        answers(port, '::1'),
      ]);
      return { entry: [name, port], taken: hosts.includes(true) };
    }),
  );
  return checked.filter(({ taken }) => taken).map(({ entry }) => entry);
}
