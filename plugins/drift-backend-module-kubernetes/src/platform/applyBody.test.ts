/* What goes into the body of an apply, and what must never. */
import { type JsonObject, kubernetesSchema } from '@plumbline/drift-engine';
import { declaredFrom, planOf } from '../__testUtils__/plan';
import { applyBody } from './applyBody';
import { toLive } from './live';
import { parseKind } from '../gvk';

const DEPLOYMENT = 'apps/v1/Deployment';
const schema = kubernetesSchema(DEPLOYMENT);

function deployment(spec: JsonObject, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'd', namespace: 'n', ...metadata },
    spec,
  };
}

function owned(
  manager: string,
  operation: 'Apply' | 'Update',
  fieldsV1: JsonObject,
): JsonObject {
  return {
    manager,
    operation,
    apiVersion: 'apps/v1',
    time: '2026-12-01T09:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1,
  };
}

function body(
  declared: JsonObject,
  live: JsonObject | null,
  changes: Parameters<typeof planOf>[3] = {},
) {
  return applyBody(
    planOf(
      declaredFrom('kubernetes/test', declared),
      live && toLive(parseKind(DEPLOYMENT)!, live),
      schema,
      changes,
    ),
  );
}

describe('applyBody', () => {
  it('is the whole declaration for a create, without what belongs to the server', () => {
    const declared = {
      ...deployment(
        { replicas: 2, strategy: {} },
        { creationTimestamp: null, resourceVersion: '7', uid: 'u' },
      ),
      status: { replicas: 9 },
    };
    const made = body(declared, null);
    expect(made.status).toBeUndefined();
    expect(made.metadata).toEqual({ name: 'd' });
    expect(made.spec).toMatchObject({ replicas: 2 });
  });

  it('has the planned fields as declared and every other declared field as it is live', () => {
    const live = deployment({
      replicas: 5,
      paused: true,
      revisionHistoryLimit: 3,
    });
    const declared = deployment({ replicas: 2, revisionHistoryLimit: 7 });
    expect(body(declared, live, { fields: ['/spec/replicas'] }).spec).toEqual({
      replicas: 2,
      revisionHistoryLimit: 3,
    });
  });

  it('writes an equal value as the server has it', () => {
    const resources = (cpu: string) => ({
      template: {
        spec: {
          containers: [{ name: 'app', resources: { limits: { cpu } } }],
        },
      },
    });
    const made = body(
      deployment({ ...resources('1000m'), replicas: 1 }),
      deployment({ ...resources('1'), replicas: 2 }),
      { fields: ['/spec/replicas'] },
    );
    expect(made.spec).toEqual({ ...resources('1'), replicas: 1 });
  });

  it('stays out of a dispute about a field that must keep its value', () => {
    const live = deployment(
      { replicas: 5, paused: true },
      {
        managedFields: [
          owned('autoscaler', 'Update', { 'f:spec': { 'f:replicas': {} } }),
        ],
      },
    );
    const declared = deployment({ replicas: 2, paused: false });
    expect(
      body(declared, live, {
        fields: ['/spec/paused'],
        kept: ['/spec/replicas'],
      }).spec,
    ).toEqual({ paused: false });
  });

  it('holds on to what it owns and the plan does not remove', () => {
    const live = deployment(
      {
        replicas: 5,
        template: {
          spec: {
            nodeSelector: { disk: 'ssd', zone: 'a' },
            containers: [
              {
                name: 'app',
                image: 'app:1',
                env: [{ name: 'A', value: '1' }],
                ports: [{ containerPort: 80, protocol: 'TCP' }],
              },
              { name: 'other', image: 'other:1' },
            ],
          },
        },
      },
      {
        finalizers: ['example.com/ours', 'example.com/theirs'],
        managedFields: [
          owned('plumbline', 'Apply', {
            'f:metadata': { 'f:finalizers': { 'v:"example.com/ours"': {} } },
            'f:spec': {
              'f:replicas': {},
              'f:template': {
                'f:spec': {
                  'f:containers': {
                    'k:{"name":"app"}': {
                      '.': {},
                      'f:env': { 'k:{"name":"A"}': { '.': {}, 'f:value': {} } },
                      'f:image': {},
                      'f:ports': {
                        'k:{"containerPort":80,"protocol":"TCP"}': { '.': {} },
                      },
                    },
                  },
                },
              },
            },
          }),
          owned('somebody', 'Update', {
            'f:spec': {
              'f:template': {
                'f:spec': { 'f:nodeSelector': { 'f:disk': {} } },
              },
            },
          }),
        ],
      },
    );
    const declared = deployment({
      template: { spec: { containers: [{ name: 'app', image: 'app:2' }] } },
    });
    const container = '/spec/template/spec/containers/[name=app]';
    const made = body(declared, live, {
      fields: [`${container}/image`],
      removals: [`${container}/env`],
      kept: ['/spec/replicas'],
    });
    expect(made).toEqual({
      metadata: {
        name: 'd',
        finalizers: ['example.com/ours'],
      },
      spec: {
        replicas: 5,
        template: {
          spec: {
            containers: [
              {
                name: 'app',
                image: 'app:2',
                ports: [{ containerPort: 80, protocol: 'TCP' }],
              },
            ],
          },
        },
      },
    });
  });

  it('sends an atomic object as a whole, as the server owns it', () => {
    const live = deployment(
      { selector: { matchLabels: { app: 'd', tier: 'x' } }, replicas: 2 },
      {
        managedFields: [
          owned('somebody', 'Update', {
            'f:spec': { 'f:selector': {}, 'f:replicas': {} },
          }),
        ],
      },
    );
    const declared = deployment({
      selector: { matchLabels: { app: 'd' } },
      replicas: 1,
    });
    expect(body(declared, live, { fields: ['/spec/replicas'] }).spec).toEqual({
      selector: { matchLabels: { app: 'd', tier: 'x' } },
      replicas: 1,
    });
  });
});
