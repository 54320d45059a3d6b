/** Which control plane a platform is: its id and name, looked up once, and whether it is still there. */
import {
  at,
  isPlatformError,
  listAt,
  PlatformError,
  textAt,
} from '@plumbline/backstage-plugin-drift-node';
import type { Json } from '@plumbline/drift-engine';
import type { KonnectClient } from './client';
import type { ControlPlaneConfig } from './config';

/** A control plane as the platform API knows it. */
export interface ControlPlaneIdentity {
  id: string;
  name: string;
}

const LOOKUP_SIZE = 100;

/** Finds and remembers the identity of the configured control plane. */
export class ControlPlane {
  readonly #config: ControlPlaneConfig;
  readonly #client: KonnectClient;
  #known: ControlPlaneIdentity | undefined;
  /** Stays when the control plane is gone: what was declared for it is still declared for it. */
  #lastId: string | undefined;

  constructor(config: ControlPlaneConfig, client: KonnectClient) {
    this.#config = config;
    this.#client = client;
  }

  /** What was configured or has been looked up; asks nobody. */
  get knownId(): string | undefined {
    return this.#config.controlPlaneId ?? this.#lastId;
  }

  /** The id, looked up once where only the name is configured. @throws PlatformError */
  async id(signal: AbortSignal): Promise<string> {
    return this.#config.controlPlaneId ?? (await this.identity(signal)).id;
  }

  /** The id and the name, read once. @throws PlatformError `gone` where there is no such control plane */
  async identity(signal: AbortSignal): Promise<ControlPlaneIdentity> {
    this.#known ??= this.#config.controlPlaneId
      ? await this.#read(this.#config.controlPlaneId, signal)
      : await this.#lookUp(this.#config.controlPlaneName ?? '', signal);
    this.#lastId = this.#known.id;
    return this.#known;
  }

  /**
   * Asks whether the control plane is there: a 404 for an entity means nothing before that is known.
   *
   * @throws PlatformError `gone` where it is not, or whatever else went wrong
   */
  async confirm(signal: AbortSignal): Promise<void> {
    const { id } = await this.#read(await this.id(signal), signal);
    if (!id) {
      throw new PlatformError(
        'transient',
        `Konnect's answer about the control plane of ${
          this.#config.title
        } has no id`,
      );
    }
  }

  /**
   * The hash of the configuration that Konnect expects its data planes to have. What it covers is not documented: another one
   * than before says that something changed, the same one says nothing.
   *
   * @throws PlatformError
   */
  async configHash(signal: AbortSignal): Promise<string> {
    const id = await this.id(signal);
    const what = 'GET expected-config-hash';
    const body = await this.#client.send({
      method: 'GET',
      path: `/v2/control-planes/${encodeURIComponent(id)}/expected-config-hash`,
      what,
      signal,
      priority: 'probe',
    });
    const hash = textAt(body, 'expected_hash');
    if (hash === undefined) {
      throw new PlatformError(
        'transient',
        `Konnect's answer to ${what} has no expected_hash`,
      );
    }
    return hash;
  }

  /** The path of the core entities, below the server's address. */
  async entitiesPath(signal: AbortSignal): Promise<string> {
    const id = await this.id(signal);
    return `/v2/control-planes/${encodeURIComponent(id)}/core-entities`;
  }

  async #read(id: string, signal: AbortSignal): Promise<ControlPlaneIdentity> {
    let body: Json | undefined;
    try {
      body = await this.#client.send({
        method: 'GET',
        path: `/v2/control-planes/${encodeURIComponent(id)}`,
        what: `GET control plane ${id}`,
        signal,
      });
    } catch (error) {
      if (isPlatformError(error) && error.classification === 'gone') {
        // With a name it may have been made again, under another id.
        this.#known = undefined;
        throw new PlatformError(
          'gone',
          `Konnect has no control plane ${id}: was it deleted? Check drift.konnect.controlPlanes, id '${
            this.#config.id
          }'`,
          { status: error.status },
        );
      }
      throw error;
    }
    return { id: textAt(body, 'id') ?? '', name: textAt(body, 'name') ?? '' };
  }

  async #lookUp(
    name: string,
    signal: AbortSignal,
  ): Promise<ControlPlaneIdentity> {
    const path = '/v2/control-planes';
    for (let number = 1; ; number += 1) {
      const body = await this.#client.send({
        method: 'GET',
        path,
        what: 'GET control planes',
        query: {
          'filter[name][eq]': name,
          'page[size]': LOOKUP_SIZE,
          'page[number]': number,
        },
        signal,
      });
      if (!Array.isArray(at(body, 'data'))) {
        throw new PlatformError(
          'transient',
          'The list of control planes that Konnect answered has no data',
        );
      }
      const page = listAt(body, 'data');
      const found = page.find(item => textAt(item, 'name') === name);
      const id = textAt(found, 'id');
      if (id) {
        return { id, name };
      }
      const total = at(body, 'meta', 'page', 'total');
      const last =
        page.length < LOOKUP_SIZE ||
        (typeof total === 'number' && number * LOOKUP_SIZE >= total);
      if (last) {
        throw new PlatformError(
          'gone',
          `Konnect has no control plane named '${name}' that this token may see. Check controlPlaneName in drift.konnect.controlPlanes, id '${
            this.#config.id
          }', and the token's roles`,
        );
      }
    }
  }
}
