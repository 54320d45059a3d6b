/*
 * Takes secrets out of free text: error messages, logs, values of ConfigMaps, annotations, JSON and YAML inside strings.
 */
import { Json } from '../types';
import { decodeBase64 } from '../values/base64';
import { isSecretName, LONG_WORDS, SHORT_WORDS } from './secrets';

type Replace = (secret: string) => string;

/** Values that a platform or a person writes where a secret would stand, and that are none. */
const NO_SECRET =
  /^(?:true|false|null|none|nil|~|\d|""|''|\{|\[|\$\{|\$\(|\{vault:|\{\{|<|\*+$|‹secret)/i;

/**
 * A text without any of these holds nothing that the rules below would find. One plain alternation, because it is
 * asked of every text of every document.
 */
const SUSPECT =
  /pass|pwd|secret|token|key|credential|authoriz|connection|conn[-_. ]?str|dsn|jwk|bearer|basic|eyj|pat_|gh[pousr]_|pat-|xox|akia/i;

// All repetitions below are bounded or cannot overlap with what follows: the cost is linear in the text.

const PRIVATE_KEY =
  /-----BEGIN ([A-Z0-9 ]{0,40})PRIVATE KEY-----[\s\S]*?(?:-----END \1PRIVATE KEY-----|$)/g;

const HAS_TOKEN = /pat_|gh[pousr]_|glpat-|xox|AKIA|eyJ/;

const KNOWN_TOKENS =
  /\b(?:[ks]pat_[A-Za-z0-9_-]{4,}|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|xox[abprs]-[\w-]{10,}|AKIA[0-9A-Z]{16}|eyJ[\w-]{6,600}\.[\w-]{4,}(?:\.[\w-]*)?)/g;

const BEARER = /\b(bearer\s{1,10})([A-Za-z0-9\-._~+/]{6,}=*)/gi;

const BASIC = /\b(Basic\s{1,10})([A-Za-z0-9+/]{8,}={0,2})/g;

const URL_PASSWORD =
  /(\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@"'<>]{0,200}:)([^\s/@"'<>]{1,1000})(@)/gi;

/** `password: x`, `"api_key": "x"`, `\"token\":\"x\"`, `CLIENT_SECRET=x`, `Authorization: Bearer x`. */
const NAMED = new RegExp(
  `((?:${LONG_WORDS}|(?<![a-z])(?:${SHORT_WORDS}))(?:\\\\{0,8}["'])?[ \\t]{0,20}(?::|=)[ \\t]{0,20})` +
    `((?:basic|bearer|token|digest)[ \\t]{1,20})?` +
    `(\\\\{0,8}"(?:[^"\\\\\\n]|\\\\(?!")[^\\n])*\\\\{0,8}"|'[^'\\n]*'|[^\\s"',;&}\\]]+)`,
  'gi',
);

function unquote(text: string): [open: string, inner: string, close: string] {
  const match = /^(\\*["'])([\s\S]*?)(\\*["'])$/.exec(text);
  return match ? [match[1], match[2], match[3]] : ['', text, ''];
}

/** Collects the secret strings of a nested document, by names and, inside a Kubernetes Secret, by kind. */
function collect(value: Json, inSecret: boolean, found: Set<string>): void {
  if (Array.isArray(value)) {
    value.forEach(item => collect(item, inSecret, found));
  } else if (typeof value === 'object' && value !== null) {
    const secretKind = value.kind === 'Secret';
    for (const [key, child] of Object.entries(value)) {
      const secret = inSecret || isSecretName(key);
      const below = secretKind && (key === 'data' || key === 'stringData');
      if (secret && (typeof child === 'string' || typeof child === 'number')) {
        found.add(String(child));
      } else {
        collect(child, inSecret || below, found);
      }
    }
  } else if (inSecret && value !== null && typeof value !== 'boolean') {
    found.add(String(value));
  }
}

const MANIFEST_SECRET =
  /^[ \t]*(?:-[ \t]+)?kind:[ \t]*["']?Secret["']?[ \t]*$/m;

/** The `data` and `stringData` blocks of a Secret that is written as YAML inside a text. */
function redactManifest(text: string, replace: Replace): string {
  let indent = -1;
  return text
    .split('\n')
    .map(line => {
      const depth = line.search(/\S/);
      if (/^[ \t]*(?:data|stringData):[ \t]*$/.test(line)) {
        indent = depth;
        return line;
      }
      if (indent >= 0 && depth >= 0 && depth <= indent) {
        indent = -1;
      }
      if (indent < 0 || depth < 0) {
        return line;
      }
      const pair = /^([ \t]*[^:\s][^:]*:[ \t]*)(\S.*)$/.exec(line);
      if (pair && !/^[|>][+-]?\d?$/.test(pair[2])) {
        const [open, inner, close] = unquote(pair[2]);
        return `${pair[1]}${open}${replace(inner)}${close}`;
      }
      return pair || /:\s*$/.test(line)
        ? line
        : `${line.slice(0, depth)}${replace(line.slice(depth))}`;
    })
    .join('\n');
}

function redactNestedJson(text: string, replace: Replace): string {
  let nested: Json;
  try {
    nested = JSON.parse(text);
  } catch {
    // Not JSON after all: the other rules look at it as text.
    return text;
  }
  const found = new Set<string>();
  collect(nested, false, found);
  let out = text;
  // The longest first, so that a secret that is part of another one does not break it up.
  for (const secret of [...found].sort((a, b) => b.length - a.length)) {
    const source = JSON.stringify(secret).slice(1, -1);
    if (secret.length > 0 && !NO_SECRET.test(secret)) {
      out = out.split(source).join(replace(secret));
    } else if (/^\d/.test(secret)) {
      out = out.replace(
        new RegExp(
          `(:\\s*"?)${source.replace(/[^\w]/g, '\\$&')}(?="?\\s*[,}\\]])`,
          'g',
        ),
        (_match, lead) => `${lead}${replace(secret)}`,
      );
    }
  }
  return out;
}

/** From here on, looking a text up costs less than looking through it. */
const LONG = 256;

/**
 * Long texts that hold nothing suspicious: the other side of a resource has the same ones, and so has the next sweep.
 * Texts that may hold a secret are never kept.
 */
const clean = new Set<string>();
let cleanSize = 0;
const MAX_CLEAN_SIZE = 4_000_000;

/** Can the text hold a secret that {@link redactText} would find? Cheap: most texts cannot. */
function isSuspect(text: string): boolean {
  if (text.length <= 5) {
    return false;
  }
  const long = text.length >= LONG;
  if (long && clean.has(text)) {
    return false;
  }
  if (SUSPECT.test(text) || (text.includes('@') && text.includes('://'))) {
    return true;
  }
  if (long) {
    remember(text);
  }
  return false;
}

function remember(text: string): void {
  if (cleanSize + text.length > MAX_CLEAN_SIZE) {
    clean.clear();
    cleanSize = 0;
  }
  if (text.length <= MAX_CLEAN_SIZE) {
    clean.add(text);
    cleanSize += text.length;
  }
}

/**
 * Takes secrets out of a text: private keys in PEM, bearer and basic credentials, passwords in URLs, known tokens
 * (`kpat_…`, `spat_…`, JSON web tokens and others), values of fields whose names say that they are secret, and the
 * data of Kubernetes Secrets in nested JSON or YAML. Each is replaced by `‹secret›`, or by `‹secret:…›` with the
 * beginning of its keyed digest, so that equality can still be seen.
 *
 * @param text - any text
 * @param secretDigest - makes the keyed digest; none: the stand-in says nothing about the value
 * @public
 */
export function redactText(
  text: string,
  secretDigest?: (secret: string) => string,
): string {
  if (!isSuspect(text)) {
    return text;
  }
  const replace: Replace = secret =>
    secretDigest ? `‹secret:${secretDigest(secret).slice(0, 16)}›` : '‹secret›';
  let out = text;
  const first = /\S/.exec(out)?.[0];
  if (first === '{' || first === '[') {
    out = redactNestedJson(out, replace);
  } else if (MANIFEST_SECRET.test(out)) {
    out = redactManifest(out, replace);
  }
  if (out.includes('PRIVATE KEY-----')) {
    out = out.replace(PRIVATE_KEY, replace);
  }
  if (HAS_TOKEN.test(out)) {
    out = out.replace(KNOWN_TOKENS, replace);
  }
  if (out.includes('@')) {
    out = out.replace(
      URL_PASSWORD,
      (_whole, lead, secret, at) => `${lead}${replace(secret)}${at}`,
    );
  }
  out = out.replace(NAMED, (whole, lead, scheme = '', value) => {
    const [open, inner, close] = unquote(value);
    return inner === '' || (NO_SECRET.test(inner) && !/^\d/.test(inner))
      ? whole
      : `${lead}${scheme}${open}${replace(inner)}${close}`;
  });
  if (/bearer/i.test(out)) {
    out = out.replace(BEARER, (whole, lead, secret) =>
      secret.startsWith('secret') ? whole : `${lead}${replace(secret)}`,
    );
  }
  return out.includes('Basic')
    ? out.replace(BASIC, (whole, lead, secret) =>
        decodeBase64(secret)?.includes(':')
          ? `${lead}${replace(secret)}`
          : whole,
      )
    : out;
}
