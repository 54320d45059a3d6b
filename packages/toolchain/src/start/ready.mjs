// Waits until a part of the portal answers.
import { setTimeout as delay } from 'node:timers/promises';

// The frontend's server holds an early request until the bundle is built.
const REQUEST_TIMEOUT_MS = 60_000;

async function isReady(url, stopped) {
  const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  try {
    const response = await fetch(url, {
      signal: AbortSignal.any([stopped, timeout]),
    });
    await response.body?.cancel();
    return response.ok;
  } catch (error) {
    // A refused connection is a TypeError of fetch. All of them mean: not yet.
    if (['TypeError', 'TimeoutError'].includes(error.name)) return false;
    if (stopped.aborted) return false;
    throw error;
  }
}

/** Resolves to true once the address answers well, to false when `stopped` is aborted before. */
export async function untilReady(url, stopped) {
  while (!stopped.aborted) {
    if (await isReady(url, stopped)) return true;
    await delay(500);
  }
  return false;
}
