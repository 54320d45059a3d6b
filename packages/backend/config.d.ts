export interface Config {
  /** The example portal itself. */
  portal?: {
    /** Folder that keeps the entities which templates register, relative to the backend's working directory. */
    entitiesDirectory: string;
  };
}
