/** Which configured control plane a custom resource is for: by the KonnectGatewayControlPlane that it names. */
import {
  isPlatformError,
  PlatformError,
  textAt,
} from '@plumbline/backstage-plugin-drift-node';
import type { Json } from '@plumbline/drift-engine';
import type { ControlPlaneConfig } from '../config';
import type { ControlPlaneIdentity } from '../controlPlane';
import { keyFromToken } from '../version';

/** One configured control plane, as the mapper sees it. */
export interface DirectoryEntry {
  platformId: string;
  title: string;
  /** Key for digests of declarations: see `versionOf`. */
  versionKey: string;
  /** The control plane's id as far as it is known without asking. */
  knownId(): string | undefined;
}

/** How the platform's own knowledge reaches the mapper, which is made before it. */
export interface IdentitySource {
  readonly knownId: string | undefined;
  identity(signal: AbortSignal): Promise<ControlPlaneIdentity>;
}

interface Row extends DirectoryEntry {
  config: ControlPlaneConfig;
  source?: IdentitySource;
}

/** A listing maps thousands of objects: they do not all have to ask for what is gone. */
const GONE_TTL_MS = 30_000;

/** Looking up the identity of a control plane must not hold up a listing of custom resources for longer. */
const IDENTITY_TIMEOUT_MS = 30_000;

/** All configured control planes. */
export class ControlPlaneDirectory {
  readonly #rows: Row[];
  readonly #now: () => number;
  /** When Konnect said that there is no such control plane. Milliseconds since the epoch. */
  readonly #goneAt = new Map<Row, number>();

  /** @param now - milliseconds since the epoch */
  constructor(
    configs: readonly ControlPlaneConfig[],
    now: () => number = Date.now,
  ) {
    this.#now = now;
    this.#rows = configs.map(config => {
      const row: Row = {
        config,
        platformId: config.platformId,
        title: config.title,
        versionKey: keyFromToken(config.token),
        knownId: () => config.controlPlaneId ?? row.source?.knownId,
      };
      return row;
    });
  }

  /** Connects a platform that has been started. */
  connect(
    platformId: string,
    source: IdentitySource,
    versionKey: string,
  ): void {
    const row = this.#rows.find(other => other.platformId === platformId);
    if (row) {
      row.source = source;
      row.versionKey = versionKey;
    }
  }

  /** The only one, where only one is configured. */
  get only(): DirectoryEntry | undefined {
    return this.#rows.length === 1 ? this.#rows[0] : undefined;
  }

  /** Those whose control plane has this id. @throws PlatformError where an id would have to be looked up and cannot be */
  async byId(id: string): Promise<DirectoryEntry[]> {
    const wanted = id.toLowerCase();
    const known = this.#rows.filter(row => row.knownId() === wanted);
    if (known.length > 0) {
      return known;
    }
    const open = this.#rows.filter(row => row.knownId() === undefined);
    const found: Row[] = [];
    for (const row of open) {
      const identity = await this.#identity(row);
      if (identity?.id.toLowerCase() === wanted) {
        found.push(row);
      }
    }
    return found;
  }

  /**
   * Those that a KonnectGatewayControlPlane stands for: by the id that the operator wrote into its status or that it
   * mirrors, else by its name.
   *
   * @throws PlatformError
   */
  async byResource(controlPlane: Json): Promise<DirectoryEntry[]> {
    const id =
      textAt(controlPlane, 'status', 'id') ??
      textAt(controlPlane, 'spec', 'mirror', 'konnect', 'id');
    const found = id ? await this.byId(id) : [];
    if (found.length > 0) {
      return found;
    }
    const name =
      textAt(controlPlane, 'spec', 'createControlPlaneRequest', 'name') ??
      textAt(controlPlane, 'spec', 'name');
    return id ? this.#goneByName(name) : this.#byName(controlPlane, name);
  }

  /**
   * Those that are configured by this name and that Konnect does not have (any more): what is declared for them stays
   * declared, and shows as blocked rather than vanish.
   */
  async #goneByName(name: string | undefined): Promise<DirectoryEntry[]> {
    const found: Row[] = [];
    for (const row of this.#rows) {
      const isNamed =
        name !== undefined && row.config.controlPlaneName === name;
      if (isNamed && (await this.#identity(row)) === undefined) {
        found.push(row);
      }
    }
    return found;
  }

  async #byName(
    controlPlane: Json,
    name: string | undefined,
  ): Promise<DirectoryEntry[]> {
    if (!name) {
      return [];
    }
    const host = hostOf(textAt(controlPlane, 'status', 'serverURL'));
    const found: Row[] = [];
    for (const row of this.#rows) {
      const sameHost = !host || host === hostOf(row.config.serverUrl);
      const rowName =
        row.config.controlPlaneName ??
        (sameHost ? (await this.#identity(row))?.name : undefined);
      if (sameHost && rowName === name) {
        found.push(row);
      }
    }
    return found;
  }

  /** @returns `undefined` where Konnect says that there is no such control plane */
  async #identity(row: Row): Promise<ControlPlaneIdentity | undefined> {
    if (!row.source) {
      throw new PlatformError(
        'transient',
        `${row.title} has not started, so it is not known which control plane it is`,
      );
    }
    const goneAt = this.#goneAt.get(row) ?? -Infinity;
    if (this.#now() - goneAt < GONE_TTL_MS) {
      return undefined;
    }
    try {
      return await row.source.identity(
        AbortSignal.timeout(IDENTITY_TIMEOUT_MS),
      );
    } catch (error) {
      if (isPlatformError(error) && error.classification === 'gone') {
        this.#goneAt.set(row, this.#now());
        return undefined;
      }
      if (isPlatformError(error)) {
        throw error;
      }
      throw new PlatformError(
        'transient',
        `It could not be found out in time which control plane ${row.title} is`,
        error instanceof Error ? { cause: error } : {},
      );
    }
  }
}

function hostOf(serverUrl: string | undefined): string | undefined {
  if (!serverUrl) {
    return undefined;
  }
  const full = serverUrl.includes('://') ? serverUrl : `https://${serverUrl}`;
  return URL.canParse(full) ? new URL(full).host : undefined;
}
