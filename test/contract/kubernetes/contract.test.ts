// One contract for every API server: the sandbox always, a real one where it is named.
import { accessContract } from './access';
import { applyContract } from './apply';
import { applyToCustomResources } from './applyCustom';
import { builtInContract } from './builtIn';
import { clientContract } from './nodeClient';
import { customContract } from './custom';
import { discoveryContract } from './discovery';
import { listContract } from './lists';
import { objectContract } from './objects';
import { patchContract } from './patches';
import { itWhere } from '../../src/leftOut';
import { REAL_SERVER, Server, candidates, realServer } from './servers';
import { Use, cleanUp } from './use';
import { watchContract } from './watches';

jest.setTimeout(120_000);

describe.each(candidates)('Kubernetes contract: $name', candidate => {
  let server: Server;
  const use: Use = { server: () => server, isSandbox: candidate.isSandbox };

  beforeAll(async () => {
    server = await candidate.start();
  });

  afterAll(async () => {
    if (server) {
      await cleanUp(server);
      await server.stop();
    }
  });

  describe('discovery', () => {
    discoveryContract(use);
  });
  describe('access', () => {
    accessContract(use);
  });
  describe('objects', () => {
    objectContract(use);
  });
  describe('lists', () => {
    listContract(use);
  });
  describe('watches', () => {
    watchContract(use);
  });
  describe('patches', () => {
    patchContract(use);
  });
  describe('server-side apply', () => {
    applyContract(use);
  });
  describe('custom resources', () => {
    customContract(use);
  });
  describe('server-side apply of custom resources', () => {
    applyToCustomResources(use);
  });
  describe('built-in kinds', () => {
    builtInContract(use);
  });
  describe('@kubernetes/client-node', () => {
    clientContract(use);
  });
});

itWhere(
  realServer !== undefined,
  REAL_SERVER,
  'a real API server is held to the same contract',
  () => expect(candidates).toContain(realServer),
);
