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

/** Those of the parts on whose port something on this machine already answers. */
export async function findTaken(parts) {
  const answered = await Promise.all(
    parts.map(async ({ port }) => {
      const hosts = ['127.0.0.1', '::1'].map(host => answers(port, host));
      return (await Promise.all(hosts)).includes(true);
    }),
  );
  return parts.filter((_, index) => answered[index]);
}
