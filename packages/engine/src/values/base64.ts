/*
 * Base64 of UTF-8 text, in browsers and Node alike.
 */

/** UTF-8 bytes of the text in standard base64 with padding. */
export function encodeBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = '';
  // In slices, because String.fromCharCode takes its arguments from the call stack.
  for (let at = 0; at < bytes.length; at += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(binary);
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Is it what a Kubernetes server accepts as `format: byte` (line breaks inside are fine)? */
export function isBase64(text: string): boolean {
  const packed = text.replace(/[\r\n]/g, '');
  return packed.length % 4 === 0 && BASE64.test(packed);
}

/** Text of base64 bytes, or `undefined` where it is no base64 or no UTF-8. */
export function decodeBase64(text: string): string | undefined {
  const packed = text.replace(/[\r\n]/g, '');
  if (!isBase64(packed)) {
    return undefined;
  }
  try {
    const binary = atob(packed);
    const bytes = Uint8Array.from(binary, char => char.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Not UTF-8: the caller has no text to look into.
    return undefined;
  }
}
