/* What `kubectl apply` last applied as declarations: the annotation of the live objects themselves. */
import { isObject, stringMapAt } from '@plumbline/backstage-plugin-drift-node';
import type {
  DeclarationOrigin,
  DeclarationPage,
  DeclarationSource,
  DeclaredRead,
  DeclaredResource,
} from '@plumbline/backstage-plugin-drift-node';
import type { ResourceRef } from '@plumbline/backstage-plugin-drift-common';
import { type Json, type JsonObject, parseJson } from '@plumbline/drift-engine';
import type { Cluster } from '../cluster/cluster';
import { DECLARED_BY, LAST_APPLIED } from '../constants';
import { formatKind, type Gvk, gvkOf, type ObjectName } from '../gvk';
import { nameLocator, nameOf } from '../platform/live';
import { ContentVersions } from './contentVersion';
import { evidenceOf, nudgeGitOps } from './gitOps';
import { originOf } from './origin';

export class LastAppliedSource implements DeclarationSource {
  readonly id: string;
  readonly title: string;
  private readonly versions = new ContentVersions();

  constructor(
    private readonly cluster: Cluster,
    private readonly options: {
      kinds: readonly Gvk[];
      namespaces?: readonly string[];
    },
  ) {
    this.id = `${cluster.platform}/lastApplied`;
    this.title = `Last applied in ${cluster.title}`;
  }

  async *list(options: {
    signal: AbortSignal;
  }): AsyncIterable<DeclarationPage> {
    const since = this.cluster.discovery.moment();
    for (const gvk of this.options.kinds) {
      const pages = this.cluster.objects.list(gvk, {
        signal: options.signal,
        priority: 'sweep',
        since,
        namespaces: this.options.namespaces,
      });
      for await (const page of pages) {
        const items: DeclaredResource[] = [];
        for (const object of page) {
          const declared = await this.declare(gvk, object);
          if (declared) {
            items.push(declared);
          }
        }
        yield { items };
      }
    }
  }

  async get(
    origin: DeclarationOrigin,
    ref: ResourceRef,
    options: { signal: AbortSignal },
  ): Promise<DeclaredRead> {
    const gvk = gvkOf(...splitKind(ref.kind));
    if (!gvk) {
      return { found: false };
    }
    const object = await this.cluster.objects.get(
      { gvk, namespace: origin.namespace, name: origin.name },
      { signal: options.signal, priority: 'pass' },
    );
    const declared = object && (await this.declare(gvk, object));
    return declared ? { found: true, declared } : { found: false };
  }

  async nudge(
    declared: DeclaredResource,
    options: { signal: AbortSignal; requestedAt: string },
  ): Promise<{ message: string }> {
    return nudgeGitOps(this.cluster, declared, options);
  }

  private async declare(
    listed: Gvk,
    object: JsonObject,
  ): Promise<DeclaredResource | undefined> {
    const annotations = stringMapAt(object, 'metadata', 'annotations');
    const text = annotations[LAST_APPLIED];
    if (text === undefined || annotations[DECLARED_BY] !== undefined) {
      // Ours are declared by a manifest; kubectl's memory of them is older.
      return undefined;
    }
    const applied = parseApplied(text);
    // The version that was applied is the one to compare at.
    const gvk =
      (isObject(applied) && gvkOf(applied.apiVersion, applied.kind)) || listed;
    this.cluster.noteDeclaredKind(gvk);
    const name: ObjectName = { ...nameOf(listed, object), gvk };
    const document = isObject(applied)
      ? { ...applied, metadata: ownMetadata(applied, name) }
      : bareDocument(name);
    return {
      ref: {
        platform: this.cluster.platform,
        kind: formatKind(gvk),
        namespace: name.namespace,
        name: name.name,
      },
      document,
      version: await this.versions.of(name, document),
      origin: originOf(gvk, document, {
        source: this.id,
        type: 'lastApplied',
        cluster: this.cluster.name,
      }),
      locators: [nameLocator(name)],
      controller: evidenceOf(object),
      problems: isObject(applied)
        ? undefined
        : [
            {
              path: '/metadata/annotations',
              reason: 'NotReadable',
              message: `the annotation ${LAST_APPLIED} is not valid JSON: apply the manifest again`,
            },
          ],
    };
  }
}

function parseApplied(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    // Shown as a problem of the resource; the parser's own words would quote the text.
    return undefined;
  }
}

/** The annotation may lack the namespace that kubectl took from its context. */
function ownMetadata(applied: JsonObject, name: ObjectName): JsonObject {
  return {
    ...(isObject(applied.metadata) ? applied.metadata : {}),
    ...identityOf(name),
  };
}

function bareDocument(name: ObjectName): JsonObject {
  return {
    apiVersion: name.gvk.apiVersion,
    kind: name.gvk.kind,
    metadata: identityOf(name),
  };
}

function identityOf(name: ObjectName): JsonObject {
  return {
    name: name.name,
    ...(name.namespace ? { namespace: name.namespace } : {}),
  };
}

function splitKind(kind: string): [string, string] {
  const cut = kind.lastIndexOf('/');
  return [kind.slice(0, cut), kind.slice(cut + 1)];
}
