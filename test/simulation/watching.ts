/** A watch as a client has it. */
import { PlatformError } from '@plumbline/backstage-plugin-drift-node';
import type { Worker } from './worker';

/** A watch that is late, loses some of what happens, says some of it twice, and ends now and then. */
export function watching<C>(
  worker: Worker,
  signal: AbortSignal,
  server: { id: string; listeners: Set<(change: C) => void> },
  make: (tell: (run: () => void) => void) => (change: C) => void,
): Promise<void> {
  const { sim } = worker;
  return new Promise((resolve, reject) => {
    const end = { listen: () => {} };
    const tell = (run: () => void) => {
      const fate = sim.faulty
        ? sim.fates.weighted({ told: 80, lost: 10, twice: 7, ends: 3 })
        : 'told';
      if (fate === 'lost') return;
      if (fate === 'ends') {
        end.listen();
        worker.answer(1, `watch ${server.id}`, false, () =>
          reject(new PlatformError('transient', 'the watch was closed')),
        );
        return;
      }
      for (let i = 0; i < (fate === 'twice' ? 2 : 1); i++) {
        worker.answer(
          sim.latency.int(2, sim.faulty ? 1_500 : 60),
          `watch ${server.id}`,
          false,
          () => {
            if (!signal.aborted) run();
          },
        );
      }
    };
    const toldOf = make(tell);
    const listener = (change: C) => {
      if (worker.alive) toldOf(change);
      else end.listen();
    };
    end.listen = () => server.listeners.delete(listener);
    server.listeners.add(listener);
    signal.addEventListener('abort', () => {
      end.listen();
      resolve();
    });
  });
}
