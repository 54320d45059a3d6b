/** `drift:resource:apply`: declares a managed resource, linked to an entity. The same step twice creates nothing twice. */
import { InputError } from '@backstage/errors';
import type { JsonObject } from '@backstage/types';
import { createTemplateAction } from '@backstage/plugin-scaffolder-node';
import {
  formatResourceRef,
  type ResourceRef,
} from '@plumbline/backstage-plugin-drift-common';
import { parseAllDocuments } from 'yaml';
import type { DriftClientFor } from '../client';

const EXAMPLE = `steps:
  - id: service
    name: Declare the service
    action: drift:resource:apply
    input:
      source: kubernetes/prod/customResources
      entityRef: component:default/orders
      manifest:
        apiVersion: configuration.konghq.com/v1alpha1
        kind: KongService
        metadata: { name: orders, namespace: shop }
        spec:
          name: orders
          host: orders.internal
          controlPlaneRef:
            type: konnectNamespacedRef
            konnectNamespacedRef: { name: prod }
`;

/** @public */
export function createDriftResourceApplyAction(options: {
  clientFor: DriftClientFor;
}) {
  return createTemplateAction({
    id: 'drift:resource:apply',
    description:
      'Declares a resource (server-side apply at a declaration source) that the drift plugin then keeps true. Running it again with the same manifest changes nothing.',
    examples: [{ description: 'Declare a Kong service', example: EXAMPLE }],
    supportsDryRun: true,
    schema: {
      input: {
        source: z =>
          z
            .string()
            .describe(
              'Id of the declaration source, for example kubernetes/prod/customResources',
            ),
        manifest: z =>
          z
            .union([z.record(z.string(), z.any()), z.string()])
            .describe(
              'The manifest, as an object or as YAML text (several documents are applied in order)',
            ),
        entityRef: z =>
          z
            .string()
            .optional()
            .describe(
              'Entity that the resource belongs to, for example component:default/orders',
            ),
      },
      output: {
        outcome: z =>
          z
            .enum(['created', 'configured', 'unchanged'])
            .describe('What changed, over all documents'),
        resources: z =>
          z
            .array(
              z.object({
                platform: z.string(),
                kind: z.string(),
                namespace: z.string().optional(),
                name: z.string(),
              }),
            )
            .describe(
              'Resources that are managed now; input of drift:resource:wait',
            ),
      },
    },
    async handler(ctx) {
      const { source, entityRef } = ctx.input;
      const manifests = readManifests(
        ctx.input.manifest as JsonObject | string,
      );
      const client = await options.clientFor(
        await ctx.getInitiatorCredentials(),
      );
      const dryRun = ctx.isDryRun ?? false;
      const resources: ResourceRef[] = [];
      const outcomes = new Set<Outcome>();
      for (const manifest of manifests) {
        const result = await client.applyDeclaration({
          source,
          manifest,
          entityRef,
          dryRun,
        });
        outcomes.add(result.outcome);
        resources.push(...result.resources.map(resource => resource.ref));
        ctx.logger.info(
          `${nameOf(manifest)}: ${result.outcome}${
            dryRun ? ' (dry run: nothing was written)' : ''
          }`,
        );
      }
      if (!resources.length) {
        ctx.logger.warn(
          'None of these manifests declares a resource of a platform that the drift plugin manages; there is nothing to wait for',
        );
      }
      for (const ref of resources) {
        ctx.logger.info(`Managed: ${formatResourceRef(ref)}`);
      }
      ctx.output('outcome', strongest(outcomes));
      ctx.output('resources', resources);
    },
  });
}

type Outcome = 'created' | 'configured' | 'unchanged';

function strongest(outcomes: Set<Outcome>): Outcome {
  if (outcomes.has('created')) return 'created';
  return outcomes.has('configured') ? 'configured' : 'unchanged';
}

/** @throws InputError that names the document and what is wrong with it. */
export function readManifests(input: JsonObject | string): JsonObject[] {
  const documents =
    typeof input === 'string'
      ? parseAllDocuments(input).map((document, index) => {
          if (document.errors.length) {
            throw new InputError(
              `Input "manifest", document ${index + 1}: ${
                document.errors[0].message
              }`,
            );
          }
          return document.toJS() as unknown;
        })
      : [input];
  const manifests = documents.filter(
    document => document !== null && document !== undefined,
  );
  if (!manifests.length) {
    throw new InputError(
      'Input "manifest" is empty; give at least one document',
    );
  }
  return manifests.map((document, index) => {
    const where = `Input "manifest", document ${index + 1}`;
    if (typeof document !== 'object' || Array.isArray(document)) {
      throw new InputError(`${where}: it must be a Kubernetes object`);
    }
    const manifest = document as JsonObject;
    for (const field of ['apiVersion', 'kind']) {
      if (typeof manifest[field] !== 'string' || !manifest[field]) {
        throw new InputError(
          `${where}: "${field}" is missing; every manifest needs one`,
        );
      }
    }
    const metadata = manifest.metadata as JsonObject | undefined;
    if (typeof metadata?.name !== 'string' || !metadata.name) {
      throw new InputError(
        `${where}: "metadata.name" is missing; a generated name would create another object with every run`,
      );
    }
    return manifest;
  });
}

function nameOf(manifest: JsonObject): string {
  const metadata = manifest.metadata as JsonObject;
  const name = metadata.namespace
    ? `${metadata.namespace}/${metadata.name}`
    : metadata.name;
  return `${manifest.kind} ${name}`;
}
