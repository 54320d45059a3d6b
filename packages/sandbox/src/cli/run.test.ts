import { readFileSync } from 'node:fs';
import { createMockDirectory } from '@backstage/backend-test-utils';
import { Sandbox, startSandbox } from '../runner/startSandbox';
import { run } from './run';

describe('the command line', () => {
  const directory = createMockDirectory();
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await startSandbox({
      dataDir: directory.path,
      ports: { konnect: 0, kubernetes: 0 },
    });
  });
  afterAll(() => sandbox.close());

  async function sandboxCommand(...args: string[]) {
    const out: string[] = [];
    const errors: string[] = [];
    const code = await run([...args, '--data-dir', directory.path], {
      print: text => out.push(text),
      printError: text => errors.push(text),
      signal: new AbortController().signal,
    });
    return { code, out: out.join('\n'), errors: errors.join('\n') };
  }
  const words = (line: string) => sandboxCommand(...line.split(' '));

  it('says where the servers are and what they hold', async () => {
    const { code, out } = await words('status');
    expect(code).toBe(0);
    expect(out).toContain(sandbox.konnect.url);
    expect(out).toContain('prod-gateway, edge-gateway');
    expect(out).toMatch(/8 KongService.*8 Deployment/);
  });

  describe('changes', () => {
    beforeEach(() => sandbox.reset());

    it('changes a field of an entity and leaves the others', async () => {
      const { code, out } = await words(
        'konnect set prod-gateway services orders retries=12',
      );
      expect(code).toBe(0);
      expect(out).toContain('retries: 12');
      expect(out).toContain('read_timeout: 30000');
      const unset = await words(
        'konnect unset prod-gateway services orders retries',
      );
      expect(unset.out).toContain('retries: 5');
      const journal = await words('konnect journal');
      expect(journal.out).toMatch(/console +update +services +orders +retries/);
    });

    it('finds a plugin by the resource that declares it', async () => {
      const { out } = await words(
        'konnect set prod-gateway plugins orders-rate-limit config.minute=1200 --json',
      );
      expect(JSON.parse(out)).toMatchObject({
        name: 'rate-limiting',
        config: { minute: 1200, limit_by: 'consumer' },
      });
    });

    it('creates and deletes entities, targets under their upstream', async () => {
      const created = await words(
        'konnect create prod-gateway targets target=10.9.9.9:80 upstream.id=orders.shop.svc',
      );
      expect(created.out).toContain('weight: 100');
      const deleted = await words(
        'konnect delete prod-gateway targets 10.9.9.9:80',
      );
      expect(deleted.out).toMatch(/^Deleted targets 10\.9\.9\.9:80 \(/);
      const list = await words('konnect list prod-gateway targets');
      expect(list.out).not.toContain('10.9.9.9');
    });

    it('changes the cluster as kubectl would', async () => {
      const set = await words(
        'kube set KongService -n shop orders spec.retries=7 --json',
      );
      expect(JSON.parse(set.out)).toMatchObject({ spec: { retries: 7 } });
      const get = await words('kube get KongService -n shop orders --json');
      const { metadata } = JSON.parse(get.out);
      expect(metadata).toMatchObject({
        generation: 2,
        managedFields: expect.arrayContaining([
          expect.objectContaining({ manager: 'kubectl-edit' }),
        ]),
      });
      const unset = await words(
        'kube unset KongService -n shop orders spec.tags',
      );
      expect(unset.out).not.toContain('tier:1');
      await words('kube delete cm -n shop orders-config');
      const list = await words('kube list configmap -n shop');
      expect(list.out).toContain('catalog-config');
      expect(list.out).not.toContain('orders-config');
    });

    it('applies a file', async () => {
      directory.addContent({
        'new.yaml': [
          'apiVersion: v1',
          'kind: ConfigMap',
          'metadata: {name: new}',
          'data: {a: b}',
        ].join('\n'),
      });
      const file = directory.resolve('new.yaml');
      const applied = await words(`kube apply -n shop -f ${file}`);
      expect(applied).toEqual({
        code: 0,
        out: 'Applied ConfigMap new',
        errors: '',
      });
      expect((await words('kube get cm -n shop new')).out).toContain('a: b');
    });

    it('changes a manifest and keeps its comments', async () => {
      const { code } = await words(
        'manifest set Deployment -n shop orders spec.replicas=5',
      );
      expect(code).toBe(0);
      const text = readFileSync(
        directory.resolve('manifests/orders.yaml'),
        'utf8',
      );
      expect(text).toMatch(/^# What should run of orders\./);
      expect(text).toContain('\n  replicas: 5\n');
      expect(text).toContain('\nkind: ConfigMap\n');
      const get = await words('manifest get Deployment orders');
      expect(get.out).toContain('replicas: 5');
    });

    it('orders faults, lists and clears them', async () => {
      const added = await words(
        'fault add konnect status --status 500 --path */services --times 1',
      );
      expect(added.out).toBe(
        'Ordered fault-1: status path=*/services times=1 status=500',
      );
      const list = await words('fault list');
      expect(list.out).toContain('konnect  fault-1  0');
      const failing = await words('konnect list prod-gateway services');
      expect(failing).toMatchObject({ code: 1 });
      expect(failing.errors).toContain('500 An ordered fault answers 500');
      await words('fault add kube latency --ms 1');
      expect((await words('fault clear')).out).toBe('Cleared 1');
    });

    it('counts requests', async () => {
      await words('requests --reset');
      await words('konnect set prod-gateway services orders retries=1');
      const { out } = await words('requests');
      expect(out).toMatch(
        /konnect +1 +1 +PUT \/v2\/control-planes\/\{id\}\/core-entities\/services\/\{id\}/,
      );
    });
  });

  it.each([
    ['', 'Name a command'],
    ['dance', "no command 'dance'"],
    ['konnect', "no 'sandbox konnect '"],
    ['konnect list', 'PLANE COLLECTION'],
    ['konnect set prod-gateway services orders', 'Name what to set'],
    ['konnect set prod-gateway services orders retries', 'retries=9'],
    ['kube get', 'KIND'],
    ['kube apply', '-f FILE'],
    ['manifest set Deployment', 'KIND'],
    ['fault add', 'konnect|kube'],
    ['fault add moon drop', "no side 'moon'"],
    ['fault add konnect drop --times many', '--times must be a number'],
    ['start --konnect-port many', '--konnect-port must be a port'],
    ['status --frobnicate', "Unknown option '--frobnicate'"],
  ])('ends with 2 for "%s"', async (line, message) => {
    const { code, errors } = await sandboxCommand(
      ...line.split(' ').filter(Boolean),
    );
    expect(errors).toContain(message);
    expect(errors).toContain("See 'sandbox help'.");
    expect(code).toBe(2);
  });

  it.each([
    ['konnect list moon services', "no control plane 'moon'"],
    ['konnect get prod-gateway services moon', "no 'moon' among the services"],
    ['konnect list prod-gateway moons', "no collection 'moons'"],
    [
      'konnect set prod-gateway services orders retries=-1',
      '400 validation error; retries: must be >= 0',
    ],
    ['kube get Moon x', "no kind 'Moon'"],
    ['kube get cm -n shop moon', '404'],
    ['manifest get Deployment moon', 'No manifest declares Deployment moon'],
    ['fault add konnect magic', '\'kind\' is "magic"'],
  ])('ends with 1 for "%s"', async (line, message) => {
    const { code, errors } = await words(line);
    expect(errors).toContain(message);
    expect(code).toBe(1);
  });

  it('says that nothing is running', async () => {
    const errors: string[] = [];
    const code = await run(['status', '--data-dir', '/nowhere'], {
      print: () => {},
      printError: text => errors.push(text),
      signal: new AbortController().signal,
    });
    expect(code).toBe(1);
    expect(errors[0]).toContain('No sandbox is running on /nowhere');
  });

  it('starts, and stops when it is told to', async () => {
    const controller = new AbortController();
    const out: string[] = [];
    const dataDir = directory.resolve('second');
    const started = run(
      [
        ...['start', '--data-dir', dataDir, '--clean'],
        ...['--konnect-port', '0', '--kubernetes-port', '0'],
      ],
      {
        print: text => {
          out.push(text);
          if (text.startsWith('Kubernetes stand-in')) controller.abort();
        },
        printError: text => out.push(text),
        signal: controller.signal,
      },
    );
    expect(await started).toBe(0);
    expect(out.at(-1)).toBe('The sandbox has stopped; its state is kept.');
  });
});
