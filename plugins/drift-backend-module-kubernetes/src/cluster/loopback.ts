/* A token must not travel in clear, so plain HTTP is for addresses that never leave the machine. */

export function isLoopback(url: URL): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
}
