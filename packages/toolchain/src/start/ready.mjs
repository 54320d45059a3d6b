// Waits until a part of the portal answers.
import { setTimeout as delay } from 'node:timers/promises';

async function isReady(url) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
    await response.body?.cancel();
    return response.ok;
  } catch (error) {
    // fetch reports a refused connection as a TypeError, a slow answer as a TimeoutError; both mean: not yet.
    if (error.name === 'TypeError' || error.name === 'TimeoutError')
      return false;
    throw error;
  }
}

/** Resolves to true once all addresses answer, to false when `stopped` is aborted before. */
export async function untilReady(urls, stopped) {
  const waiting = new Set(urls);
  while (!stopped.aborted) {
    for (const url of waiting) {
      if (await isReady(url)) waiting.delete(url);
    }
    if (waiting.size === 0) return true;
    await delay(500);
  }
  return false;
}
