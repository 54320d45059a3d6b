/* One cluster: its connection and what is built on it, shared by the platform and by the declaration sources. */
import type {
  DriftContext,
  PlatformBudget,
} from '@plumbline/backstage-plugin-drift-node';
import { platformId } from '../constants';
import { formatKind, type Gvk, type ObjectName } from '../gvk';
import type { ClusterAccess } from './access';
import { ClusterConnection } from './connection';
import { Discovery } from './discovery';
import { ClusterObjects } from './objects';

/** Share of the budget that is kept for people. */
const RESERVE = 0.2;

/** Says whether it declares an object, whatever the version. */
export interface Declarer {
  declares(object: ObjectName, signal: AbortSignal): Promise<boolean>;
}

export class Cluster {
  readonly name: string;
  readonly title: string;
  readonly platform: string;
  readonly budget: PlatformBudget;
  readonly connection: ClusterConnection;
  readonly discovery: Discovery;
  readonly objects: ClusterObjects;
  private readonly kindsOfDeclarations = new Set<string>();
  private readonly followers = new Set<(kind: string) => void>();
  private readonly declarers: Declarer[] = [];

  constructor(access: ClusterAccess, context: DriftContext) {
    this.name = access.name;
    this.title = access.title;
    this.platform = platformId(access.name);
    this.budget = {
      requestsPerMinute: access.requestsPerMinute,
      reserve: RESERVE,
    };
    const gate = context.gate({ id: this.platform, budget: this.budget });
    this.connection = new ClusterConnection(access, gate);
    this.discovery = new Discovery(this.connection, () => context.now());
    this.objects = new ClusterObjects(this.connection, this.discovery);
  }

  /** A source of declarations for this cluster, to be asked before anything is deleted. */
  addDeclarer(declarer: Declarer): void {
    this.declarers.push(declarer);
  }

  /**
   * Whether any source declares this object now, at whatever version of its kind: a manifest whose apiVersion moved
   * declares the same object under another name. Reads the sources freshly; throws where one cannot be read.
   */
  async isDeclared(object: ObjectName, signal: AbortSignal): Promise<boolean> {
    for (const declarer of this.declarers) {
      if (await declarer.declares(object, signal)) {
        return true;
      }
    }
    return false;
  }

  /** A declaration names this kind: sweeps read it from now on, at the declared version. */
  noteDeclaredKind(gvk: Gvk): void {
    const kind = formatKind(gvk);
    this.kindsOfDeclarations.add(kind);
    this.noteKind(kind);
  }

  /** Objects of this kind matter here: whoever follows kinds is told, every time. */
  noteKind(kind: string): void {
    for (const follow of this.followers) {
      follow(kind);
    }
  }

  /** Calls back with kinds that matter, until what this returns is called. */
  followKinds(follow: (kind: string) => void): () => void {
    this.followers.add(follow);
    return () => this.followers.delete(follow);
  }

  /** Kinds that declarations named since the start. */
  get declaredKinds(): Iterable<string> {
    return this.kindsOfDeclarations;
  }

  isDeclaredKind(kind: string): boolean {
    return this.kindsOfDeclarations.has(kind);
  }
}
