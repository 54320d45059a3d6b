/** Version of the engine's tables, stored with each decision: a later one may answer otherwise. */
export const ENGINE_VERSION = '0.1.0';
