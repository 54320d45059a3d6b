/*
 * A process of its own with the Konnect stand-in and as many services as asked for, so that serving them costs the
 * measured process nothing. Tells its address when it is ready, and ends with its parent.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createKonnectSandbox } from '@plumbline/drift-sandbox';
import { CONTROL_PLANE, liveService, serviceId } from './services';

let time = Date.now();

async function serve(count: number): Promise<void> {
  const sandbox = createKonnectSandbox({ now: () => time });
  sandbox.store.createControlPlane({ name: 'bench' }, 'bench', CONTROL_PLANE);
  const putAll = () => {
    for (let i = 0; i < count; i += 1) {
      sandbox.store.upsert(
        CONTROL_PLANE,
        'services',
        serviceId(i),
        liveService(i),
        'kong-operator',
      );
    }
  };
  putAll();
  // as the operator does once a minute: nothing changes but `updated_at`
  process.on('message', message => {
    if (message !== 'put all') return;
    time += 60_000;
    putAll();
    process.send?.('put all');
  });
  const server = createServer(sandbox.app);
  // the measured process may be busy for longer than the usual five seconds
  server.keepAliveTimeout = 600_000;
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    process.send?.({ sandbox: `http://127.0.0.1:${port}` });
  });
}

process.once('disconnect', () => process.exit());
serve(Number(process.argv[2])).catch(error => {
  process.stderr.write(`The stand-in could not be started: ${error}\n`);
  process.exit(1);
});
