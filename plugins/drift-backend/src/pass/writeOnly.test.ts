/** Values that are written and never shown again: they are agreed by the write that was acknowledged. */
import { TestDatabases } from '@backstage/backend-test-utils';
import type { JsonObject } from '@backstage/types';
import type { Json } from '@plumbline/drift-engine';
import type {
  LiveObject,
  LiveRead,
} from '@plumbline/backstage-plugin-drift-node';
import { loopOn } from '../__testUtils__/orders';
import { unreachable } from '../__testUtils__/scriptedPlatform';
import { ANN, type World } from '../__testUtils__/world';

const databases = TestDatabases.create();

describe.each(databases.eachSupportedId())('the loop on %s', databaseId => {
  const loop = loopOn(databases, databaseId);
  let world: World;

  async function start(drift?: JsonObject) {
    world = await loop.start(drift);
  }

  describe('a value that never comes back', () => {
    const web = { kind: 'certificates', namespace: 'shop', name: 'web' };
    const certificate = (key: string, tags: string[] = []) =>
      world.source.declare(web, { cert: 'c', key, tags });
    const key = () =>
      [...world.platform.objects.values()].map(
        ({ document }) => (document as JsonObject).key,
      );

    /** From now on the answers of the platform do not show it. */
    function hide() {
      const { get, find, sweep } = world.platform;
      const hidden = (live: LiveObject): LiveObject => {
        const { key: _key, ...document } = live.document as {
          [field: string]: Json;
        };
        return { ...live, document };
      };
      const read = (answer: LiveRead): LiveRead =>
        answer.found === true
          ? { ...answer, live: hidden(answer.live) }
          : answer;
      world.platform.get = async (...args) =>
        read(await get.apply(world.platform, args));
      world.platform.find = async (...args) =>
        read(await find.apply(world.platform, args));
      world.platform.sweep = async function* hiding() {
        for await (const page of sweep.apply(world.platform)) {
          yield { items: page.items.map(hidden) };
        }
      };
    }

    async function writeFirst() {
      await start();
      hide();
      certificate('k1');
      await world.turn();
      await world.turn();
      expect((await world.row('web')).verdict).toBe('InSync');
      expect(key()).toEqual(['k1']);
    }

    beforeEach(writeFirst);

    it('is written once when it is declared anew, and agreed once the write was acknowledged', async () => {
      certificate('k2');
      await world.turn();
      expect(key()).toEqual(['k2']);
      expect((await world.row('web')).verdict).toBe('InSync');
      const writes = world.platform.script.count('write');
      // what was agreed is remembered, also for the next change
      await world.turn();
      await world.turn();
      expect((await world.row('web')).verdict).toBe('InSync');
      expect(world.platform.script.count('write')).toBe(writes);
      certificate('k1');
      await world.turn();
      expect(key()).toEqual(['k1']);
      expect((await world.row('web')).verdict).toBe('InSync');
      expect(world.platform.script.count('write')).toBe(writes + 1);
    });

    it('is written once also where something else still differs', async () => {
      const [live] = world.platform.objects.values();
      await start({ defaults: { mode: 'enforce', onLiveEdit: 'ask' } });
      hide();
      certificate('k1');
      await world.turn();
      await world.turn();
      const [{ key: liveKey }] = world.platform.objects.values();
      expect(liveKey).not.toBe(live.key);
      world.platform.edit(liveKey, { cert: 'edited' });
      certificate('k2');
      const before = world.platform.script.count('write');
      await world.turn();
      for (let i = 0; i < 3; i += 1) {
        world.clock.advance(60_000);
        await world.actions.check((await world.row('web')).id, ANN);
        await world.settle();
      }
      expect(key()).toEqual(['k2']);
      expect(world.platform.field(liveKey, 'cert')).toBe('edited');
      expect((await world.row('web')).verdict).toBe('Drifted');
      expect(world.platform.script.count('write')).toBe(before + 1);
    });

    it('is left to a controller, and agreed once it says that it has written it', async () => {
      const nudges: string[] = [];
      world.source.nudge = async declared => {
        nudges.push(declared.version);
        return { message: 'asked kong-operator to look again.' };
      };
      const declare = (value: string, upToDate: boolean) =>
        world.source.declare(
          web,
          { cert: 'c', key: value, tags: [] },
          {
            controller: {
              ...{ name: 'kong-operator', evidence: 'It has set a condition.' },
              ...(upToDate && { upToDate }),
            },
          },
        );
      declare('k2', false);
      await world.turn();
      expect(nudges).toHaveLength(1);
      expect((await world.row('web')).verdict).toBe('Pending');
      declare('k2', true);
      await world.turn();
      expect((await world.row('web')).verdict).toBe('InSync');
      // it is remembered
      declare('k2', false);
      await world.turn();
      expect((await world.row('web')).verdict).toBe('InSync');
      expect(nudges).toHaveLength(1);
    });

    it('is written again where the write was not acknowledged', async () => {
      world.platform.script.on('write', { fails: unreachable() });
      certificate('k2');
      await world.turn();
      expect(key()).toEqual(['k1']);
      expect((await world.row('web')).verdict).not.toBe('InSync');
      world.clock.advance(60_000);
      await world.turn();
      expect(key()).toEqual(['k2']);
      expect((await world.row('web')).verdict).toBe('InSync');
    });
  });
});
