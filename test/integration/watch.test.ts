/**
 * A watch that keeps the API true within moments, through restarts of the API server and through histories that were
 * compacted: against the sandbox always, against a real API server where one is named.
 */
import { waitFor } from '../src/driftBackend';
import { describeWhere } from '../src/leftOut';
import {
  clusterCandidates,
  startWatchedCluster,
  type WatchedCluster,
} from '../src/watchedCluster';

jest.setTimeout(180_000);

const NAMES = ['orders', 'payments', 'stock', 'identity'];

for (const candidate of clusterCandidates) {
  describeWhere(
    candidate.present,
    'a real API server (named by KUBEBUILDER_ASSETS)',
    `A watch of ${candidate.name}`,
    () => {
      let watched: WatchedCluster;

      beforeAll(async () => {
        watched = await startWatchedCluster(candidate, NAMES);
      });

      afterAll(() => watched?.stop());

      const lastSweeps = () => watched.backend.lastSweeps();

      /** Edits everything and waits until all of it is shown, without a bulk read. */
      async function edited(what: string): Promise<void> {
        const before = await lastSweeps();
        for (const name of NAMES) {
          await watched.edit(name, `${what}, ${name}`);
        }
        for (const name of NAMES) {
          await watched.untilShown(name, `${what}, ${name}`);
        }
        expect(await lastSweeps()).toEqual(before);
      }

      it('shows what was edited, without a bulk read', async () => {
        await edited('first');
        await edited('second');
        expect((await watched.look('orders')).verdict).toBe('Drifted');
      });

      it('survives a restart of the server', async () => {
        await watched.cluster.restart();
        for (const name of NAMES) {
          await watched.edit(name, `restarted, ${name}`);
        }
        for (const name of NAMES) {
          await watched.untilShown(name, `restarted, ${name}`);
        }
        expect((await watched.look('orders')).verdict).toBe('Drifted');
      });

      it('misses nothing of a history that was compacted while it was away', async () => {
        const path = watched.pathOf();
        const { body } = await watched.editor.get(path);
        const position = body.metadata.resourceVersion;
        const before = await lastSweeps();

        watched.relay.cut();
        for (const name of NAMES) {
          await watched.edit(name, `unseen, ${name}`);
        }
        await watched.editor.delete(watched.pathOf('identity'));
        await watched.cluster.compact();
        const resumed = await watched.editor.watch(
          `${path}?watch=true&resourceVersion=${position}`,
        );
        const first = await resumed.next();
        resumed.close();
        watched.relay.mend();

        const isDeleted = await waitFor(
          () => watched.look('identity'),
          ({ verdict }) => verdict === 'Missing',
          resource => `identity is ${resource?.verdict}`,
        );
        expect(isDeleted.changes).toBeDefined();
        for (const name of NAMES.slice(0, -1)) {
          await watched.untilShown(name, `unseen, ${name}`);
        }
        // A server that answers watches from its own memory still has what etcd forgot.
        const forgotten = first.type === 'ERROR' && first.object.code === 410;
        expect(forgotten).toBe(!candidate.answersFromMemory);
        await waitFor(
          lastSweeps,
          after => !forgotten || `${after}` !== `${before}`,
          after => `last complete reads were ${after}`,
        );

        await watched.editor.post(path, {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'identity' },
          data: { value: 'made by hand' },
        });
        await watched.untilShown('identity', 'made by hand');
        await edited('afterwards');
      });
    },
  );
}
