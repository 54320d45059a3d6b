/* Manifests in files or behind URLs as declarations of what runs in a cluster. One target is one source. */
import {
  isObject,
  PlatformError,
  textAt,
  without,
  type ControllerEvidence,
  type DeclarationOrigin,
  type DeclarationPage,
  type DeclarationSource,
  type DeclaredRead,
  type DeclaredResource,
} from '@plumbline/backstage-plugin-drift-node';
import {
  resourceKey,
  type ResourceRef,
} from '@plumbline/backstage-plugin-drift-common';
import { digest, type JsonObject, type Problem } from '@plumbline/drift-engine';
import type { Cluster, Declarer } from '../cluster/cluster';
import type { FindOptions } from '../cluster/discovery';
import type { ManifestTarget } from '../config';
import { DECLARED_BY } from '../constants';
import { describeObject, formatKind, type ObjectName, parseKind } from '../gvk';
import { nameLocator } from '../platform/live';
import { ContentVersions } from './contentVersion';
import { evidenceOf, nudgeGitOps } from './gitOps';
import {
  shownTarget,
  type ManifestFile,
  type ManifestFiles,
} from './manifestFiles';
import { originOf } from './origin';
import { type ManifestObject, parseManifest } from './parseManifest';

export class ManifestSource implements DeclarationSource, Declarer {
  readonly id: string;
  readonly title: string;
  private readonly versions = new ContentVersions();
  /** Value of the ownership mark: the same for all targets, so that a manifest may move from one file to another. */
  private readonly mark: string;

  constructor(
    private readonly cluster: Cluster,
    private readonly target: ManifestTarget,
    private readonly files: ManifestFiles,
    private readonly namespaces?: readonly string[],
  ) {
    const identity = digest([target.type, target.target]).slice(0, 8);
    this.mark = `${cluster.platform}/manifests`;
    this.id = `${this.mark}/${identity}`;
    this.title =
      target.title ?? `Manifests ${shownTarget(target)} for ${cluster.title}`;
    cluster.addDeclarer(this);
  }

  async *list(options: {
    signal: AbortSignal;
  }): AsyncIterable<DeclarationPage> {
    // All files first: one that is broken must not look as if the others were all there is.
    yield { items: await this.read(options.signal) };
  }

  async get(
    _origin: DeclarationOrigin,
    ref: ResourceRef,
    options: { signal: AbortSignal },
  ): Promise<DeclaredRead> {
    const all = await this.read(options.signal);
    const declared = all.find(one => resourceKey(one.ref) === resourceKey(ref));
    return declared
      ? {
          found: true,
          declared: {
            ...declared,
            controller: await this.controllerOf(declared, options.signal),
          },
        }
      : { found: false };
  }

  async nudge(
    declared: DeclaredResource,
    options: { signal: AbortSignal; requestedAt: string },
  ): Promise<{ message: string }> {
    return nudgeGitOps(this.cluster, declared, options);
  }

  async declares(object: ObjectName, signal: AbortSignal): Promise<boolean> {
    const all = await this.read(signal);
    return all.some(({ ref }) => {
      const gvk = parseKind(ref.kind);
      return (
        gvk?.group === object.gvk.group &&
        gvk.kind === object.gvk.kind &&
        ref.namespace === object.namespace &&
        ref.name === object.name
      );
    });
  }

  /** Whether Flux or Argo CD applies the same from Git: only the live object says so. Asked before anything is written. */
  private async controllerOf(
    { ref, problems = [] }: DeclaredResource,
    signal: AbortSignal,
  ): Promise<ControllerEvidence | undefined> {
    const gvk = parseKind(ref.kind);
    if (!gvk || problems.length > 0) {
      return undefined;
    }
    const request = { signal, priority: 'pass' } as const;
    const live = await this.cluster.objects.get({ ...ref, gvk }, request);
    return live && evidenceOf(live);
  }

  private async read(signal: AbortSignal): Promise<DeclaredResource[]> {
    const declared = new Map<string, DeclaredResource>();
    const request = {
      signal,
      priority: 'sweep',
      since: this.cluster.discovery.moment(),
    } as const;
    for (const file of await this.files.read(signal)) {
      for (const object of parseManifest(file.name, file.text)) {
        const one = await this.declare(file, object, request);
        const key = resourceKey(one.ref);
        const twin = declared.get(key);
        // Two documents that claim one object: it stays visible, and nothing is written until one of them is gone.
        declared.set(key, twin ? withTwin(twin, file.name, object.where) : one);
      }
    }
    if (declared.size === 0) {
      // An empty answer is more often a failure than a wish, and would read as "nothing is declared any more".
      throw new PlatformError(
        'invalid',
        `the manifest ${shownTarget(
          this.target,
        )} declares nothing: if that is meant, remove its entry from drift.kubernetes.manifests`,
      );
    }
    return [...declared.values()];
  }

  private async declare(
    file: ManifestFile,
    manifest: ManifestObject,
    request: FindOptions,
  ): Promise<DeclaredResource> {
    const { gvk, name } = manifest;
    this.cluster.noteDeclaredKind(gvk);
    const served = await this.cluster.discovery.find(gvk, request);
    const given = textAt(manifest.object, 'metadata', 'namespace');
    const namespaced = served?.namespaced ?? true;
    const namespace = namespaced ? given ?? this.target.namespace : undefined;
    const object: ObjectName = { gvk, namespace, name };
    const document = inNamespace(manifest.object, namespace);
    return {
      ref: {
        platform: this.cluster.platform,
        kind: formatKind(gvk),
        namespace,
        name,
      },
      document,
      version: await this.versions.of(object, document),
      origin: originOf(gvk, document, {
        source: this.id,
        type: 'manifest',
        cluster: this.cluster.name,
        url: file.name,
      }),
      locators: [nameLocator(object)],
      mark: { key: DECLARED_BY, value: this.mark },
      problems: this.problemsOf(object, served !== undefined),
    };
  }

  private problemsOf(object: ObjectName, served: boolean): Problem[] {
    const problems: Problem[] = [];
    if (!served) {
      problems.push({
        path: '/kind',
        reason: 'KindNotServed',
        message: `cluster ${this.cluster.name} does not serve ${formatKind(
          object.gvk,
        )}: install its definition, or correct apiVersion and kind`,
      });
    }
    const { namespace } = object;
    if (namespace && this.namespaces && !this.namespaces.includes(namespace)) {
      problems.push({
        path: '/metadata/namespace',
        reason: 'NamespaceNotCovered',
        message: `${describeObject(
          object,
        )} lies outside of drift.kubernetes.namespaces: add ${namespace} there, or move it`,
      });
    }
    return problems;
  }
}

function inNamespace(
  object: JsonObject,
  namespace: string | undefined,
): JsonObject {
  const metadata = isObject(object.metadata) ? object.metadata : {};
  return {
    ...object,
    metadata: namespace
      ? { ...metadata, namespace }
      : without(metadata, ['namespace']),
  };
}

function withTwin(
  first: DeclaredResource,
  file: string,
  where: string,
): DeclaredResource {
  const twin: Problem = {
    path: '',
    reason: 'DeclaredTwice',
    message: `${file}, ${where} declares the same object again: keep one of the two`,
  };
  return { ...first, problems: [...(first.problems ?? []), twin] };
}
