/** A folder of entity files: where this example portal keeps what its templates register, since it has no Git host. */
import { stringifyEntityRef, type Entity } from '@backstage/catalog-model';
import { InputError } from '@backstage/errors';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';

/** Event topic: an entity file was written. */
export const PORTAL_ENTITIES_TOPIC = 'portal.entities';

export class EntityDirectory {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Writes one entity; the same entity twice is the same file. */
  async write(entity: Entity): Promise<string> {
    const ref = stringifyEntityRef(entity);
    await mkdir(this.#path, { recursive: true });
    const file = join(this.#path, `${ref.replace(/[^a-z0-9.-]+/g, '_')}.yaml`);
    // written aside and renamed, so that nobody reads half an entity
    await writeFile(`${file}.part`, stringify(entity));
    await rename(`${file}.part`, file);
    return ref;
  }

  /** Reads all entities, each with the file that it stands in. */
  async read(): Promise<{ entity: Entity; file: string }[]> {
    await mkdir(this.#path, { recursive: true });
    const names = (await readdir(this.#path)).filter(n => n.endsWith('.yaml'));
    return Promise.all(
      names.sort().map(async name => {
        const file = join(this.#path, name);
        return { entity: parse(await readFile(file, 'utf8')) as Entity, file };
      }),
    );
  }
}

/** @throws InputError that names what an entity lacks. */
export function toEntity(input: unknown): Entity {
  const value: unknown = typeof input === 'string' ? parse(input) : input;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InputError(
      'Input "entity" must be an entity, as an object or as YAML',
    );
  }
  const entity = value as Entity;
  if (!entity.apiVersion || !entity.kind || !entity.metadata?.name) {
    throw new InputError(
      'Input "entity" needs apiVersion, kind and metadata.name',
    );
  }
  return entity;
}
