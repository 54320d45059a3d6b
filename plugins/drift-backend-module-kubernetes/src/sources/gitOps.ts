/*
 * Controllers that keep a cluster as Git says: Flux and Argo CD. They mark what they apply, and apply it again by
 * themselves, so that they are asked rather than written beside.
 */
import {
  PlatformError,
  stringMapAt,
  textAt,
  type ControllerEvidence,
  type DeclaredResource,
} from '@plumbline/backstage-plugin-drift-node';
import type { Json } from '@plumbline/drift-engine';
import type { Cluster } from '../cluster/cluster';
import type { FindOptions } from '../cluster/discovery';
import { describeObject, type ObjectName, parseKind } from '../gvk';
import { sendNudge } from './nudge';

/** The custom resource in whose name an object is applied. */
export interface GitOpsOwner extends ControllerEvidence {
  group: string;
  kind: string;
  /** Absent where the mark does not say it. */
  namespace?: string;
  ownerName: string;
}

const FLUX = [
  { group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization' },
  { group: 'helm.toolkit.fluxcd.io', kind: 'HelmRelease' },
];
const ARGO = { group: 'argoproj.io', kind: 'Application' };

/** Who applies this object from Git, by the marks on it; `undefined` where nobody is seen. */
export function gitOpsOwnerOf(object: Json): GitOpsOwner | undefined {
  const labels = stringMapAt(object, 'metadata', 'labels');
  for (const { group, kind } of FLUX) {
    const ownerName = labels[`${group}/name`];
    const namespace = labels[`${group}/namespace`];
    if (ownerName && namespace) {
      return {
        name: 'Flux',
        evidence: `Its labels say that the ${kind} ${namespace}/${ownerName} applies it.`,
        group,
        kind,
        namespace,
        ownerName,
      };
    }
  }
  const tracked = trackedBy(object);
  if (tracked) {
    return argo(tracked, 'annotation argocd.argoproj.io/tracking-id');
  }
  const ownerName = labels['argocd.argoproj.io/instance'];
  return ownerName
    ? argo({ ownerName }, 'label argocd.argoproj.io/instance')
    : undefined;
}

function argo(
  owner: { namespace?: string; ownerName: string },
  mark: string,
): GitOpsOwner {
  return {
    name: 'Argo CD',
    evidence: `Its ${mark} says that the Application ${owner.ownerName} applies it.`,
    ...ARGO,
    ...owner,
  };
}

/** `app:group/Kind:namespace/name`, or `namespace_app:…`; copied to another object it says nothing of that one. */
function trackedBy(
  object: Json,
): { namespace?: string; ownerName: string } | undefined {
  const annotations = stringMapAt(object, 'metadata', 'annotations');
  const id = annotations['argocd.argoproj.io/tracking-id'] ?? '';
  const [application, kind, name] = id.split(':');
  const gvk = parseKind(
    `${textAt(object, 'apiVersion')}/${textAt(object, 'kind')}`,
  );
  const ownName = textAt(object, 'metadata', 'name');
  const own = `${textAt(object, 'metadata', 'namespace') ?? ''}/${ownName}`;
  if (!application || kind !== `${gvk?.group}/${gvk?.kind}` || name !== own) {
    return undefined;
  }
  const cut = application.indexOf('_');
  return cut < 0
    ? { ownerName: application }
    : {
        namespace: application.slice(0, cut),
        ownerName: application.slice(cut + 1),
      };
}

/** The part of it that is stored and shown. */
export function evidenceOf(object: Json): ControllerEvidence | undefined {
  const owner = gitOpsOwnerOf(object);
  return owner && { name: owner.name, evidence: owner.evidence };
}

/** Asks whoever applies an object from Git to look again. Throws `PlatformError` where nobody is seen. */
export async function nudgeGitOps(
  cluster: Cluster,
  declared: DeclaredResource,
  options: { signal: AbortSignal; requestedAt: string },
): Promise<{ message: string }> {
  const request = { signal: options.signal, priority: 'pass' } as const;
  const gvk = parseKind(declared.ref.kind);
  const object = gvk && { ...declared.ref, gvk };
  const live = object && (await cluster.objects.get(object, request));
  const owner = live && gitOpsOwnerOf(live);
  if (!owner) {
    throw new PlatformError(
      'invalid',
      `neither Flux nor Argo CD is seen at work on ${declared.ref.kind} ${declared.ref.name} in cluster ${cluster.name}: set actuator: direct to write it`,
    );
  }
  const name = await findOwner(cluster, owner, request);
  await sendNudge(cluster, name, options);
  return {
    message: `asked ${owner.name} to look at ${describeObject(name)} again`,
  };
}

async function findOwner(
  cluster: Cluster,
  owner: GitOpsOwner,
  request: FindOptions,
): Promise<ObjectName> {
  const { group, kind, namespace, ownerName: name } = owner;
  const gvk = await cluster.discovery.findVersion(group, kind, request);
  const found: ObjectName[] = [];
  if (gvk && namespace) {
    found.push({ gvk, namespace, name });
  } else if (gvk) {
    for await (const page of cluster.objects.list(gvk, request)) {
      for (const one of page) {
        if (textAt(one, 'metadata', 'name') === name) {
          const where = textAt(one, 'metadata', 'namespace');
          found.push({ gvk, namespace: where, name });
        }
      }
    }
  }
  if (found.length !== 1) {
    throw new PlatformError(
      'invalid',
      `cluster ${cluster.name} has ${
        found.length || 'no'
      } ${kind} called ${name}${
        found.length ? ', and the object does not say which is meant' : ''
      }: set actuator: direct to write what ${owner.name} applied`,
    );
  }
  return found[0];
}
