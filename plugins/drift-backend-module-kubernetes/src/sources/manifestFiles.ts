/* The files behind one manifest target: one URL, a URL with a pattern, a local file, or a local folder. */
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { UrlReaderService } from '@backstage/backend-plugin-api';
import { isError } from '@backstage/errors';
import { PlatformError } from '@plumbline/backstage-plugin-drift-node';
import type { ManifestTarget } from '../config';
import { reasonOf } from '../reason';

export interface ManifestFile {
  /** Address, or path as the configuration tells it, for people and for the origin. */
  name: string;
  text: string;
}

/** Reads all files of a target. Throws `PlatformError` where any of them cannot be read: unknown is not absent. */
export interface ManifestFiles {
  read(signal: AbortSignal): Promise<ManifestFile[]>;
}

function unreadable(name: string, error: unknown): PlatformError {
  // A host that hides what it does not show answers "not found" as well: neither means that nothing is declared.
  return new PlatformError(
    'transient',
    `the manifest ${name} cannot be read, and what it declares is unknown until it can; check that it exists, and the integration or backend.reading.allow for its host: ${reasonOf(
      error,
    )}`,
  );
}

function isNotModified(error: unknown): boolean {
  return isError(error) && error.name === 'NotModifiedError';
}

/** One file by URL; asked with the entity tag of the last read, so that an unchanged one costs little. */
class SingleUrl implements ManifestFiles {
  private last: { etag: string; file: ManifestFile } | undefined;

  constructor(
    private readonly url: string,
    private readonly urlReader: UrlReaderService,
  ) {}

  async read(signal: AbortSignal): Promise<ManifestFile[]> {
    try {
      const response = await this.urlReader.readUrl(this.url, {
        etag: this.last?.etag,
        signal,
      });
      const file = {
        name: this.url,
        text: (await response.buffer()).toString('utf8'),
      };
      this.last = response.etag ? { etag: response.etag, file } : undefined;
      return [file];
    } catch (error) {
      signal.throwIfAborted();
      if (isNotModified(error) && this.last) {
        return [this.last.file];
      }
      throw unreadable(this.url, error);
    }
  }
}

class UrlPattern implements ManifestFiles {
  private last: { etag: string; files: ManifestFile[] } | undefined;

  constructor(
    private readonly url: string,
    private readonly urlReader: UrlReaderService,
  ) {}

  async read(signal: AbortSignal): Promise<ManifestFile[]> {
    let files: ManifestFile[];
    try {
      const response = await this.urlReader.search(this.url, {
        etag: this.last?.etag,
        signal,
      });
      files = await Promise.all(
        response.files.map(async file => ({
          name: file.url,
          text: (await file.content()).toString('utf8'),
        })),
      );
      this.last = response.etag ? { etag: response.etag, files } : undefined;
    } catch (error) {
      signal.throwIfAborted();
      if (isNotModified(error) && this.last) {
        return this.last.files;
      }
      throw unreadable(this.url, error);
    }
    if (files.length === 0) {
      // Some readers answer a failed search with nothing found.
      throw new PlatformError(
        'transient',
        `no file matches the manifest ${this.url}: correct the pattern, or remove the entry if nothing is declared there any more`,
      );
    }
    return files;
  }
}

const MANIFEST = /\.(ya?ml|json)$/i;

/** A target for people: what the configuration says, without the machine's own folders. */
export function shownTarget({ type, target }: ManifestTarget): string {
  return type === 'file' && path.isAbsolute(target)
    ? `…/${path.basename(target)}`
    : target;
}

const WHY: Record<string, string> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'the backend may not read it',
};

// A message of the file system names the whole path.
function whyNotLocal(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return code ? WHY[code] ?? code : reasonOf(error);
}

async function readLocal(given: ManifestTarget): Promise<ManifestFile[]> {
  const target = path.resolve(given.target);
  const shown = shownTarget(given);
  try {
    const isFolder = (await stat(target)).isDirectory();
    const names = isFolder ? await filesIn(target) : [target];
    return await Promise.all(
      names.map(async name => ({
        name: path.join(shown, path.relative(target, name)),
        text: await readFile(name, 'utf8'),
      })),
    );
  } catch (error) {
    throw new PlatformError(
      'transient',
      `the manifest ${shown} cannot be read, and what it declares is unknown until it can; check that it exists and is readable: ${whyNotLocal(
        error,
      )}`,
    );
  }
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, {
    recursive: true,
    withFileTypes: true,
  });
  return entries
    .filter(entry => entry.isFile() && MANIFEST.test(entry.name))
    .map(entry => path.join(entry.parentPath, entry.name))
    .sort();
}

export function manifestFiles(
  target: ManifestTarget,
  urlReader: UrlReaderService,
): ManifestFiles {
  if (target.type === 'file') {
    return { read: () => readLocal(target) };
  }
  return /[*?]/.test(new URL(target.target).pathname)
    ? new UrlPattern(target.target, urlReader)
    : new SingleUrl(target.target, urlReader);
}
