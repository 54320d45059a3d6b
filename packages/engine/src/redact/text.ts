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

/** Nested deeper, a document is no configuration, and the call stack has an end. */
const MAX_DEPTH = 400;

/**
 * Collects the secret strings of a nested document, by names and, inside a Kubernetes Secret, by kind.
 *
 * @returns false where it is nested too deep to be looked through
 */
function collect(
  value: Json,
  inSecret: boolean,
  found: Set<string>,
  depth: number,
): boolean {
  if (typeof value !== 'object' || value === null) {
    if (inSecret && value !== null && typeof value !== 'boolean') {
      found.add(String(value));
    }
    return true;
  }
  if (depth > MAX_DEPTH) {
    return false;
  }
  if (Array.isArray(value)) {
    return value.every(item => collect(item, inSecret, found, depth + 1));
  }
  const secretKind = value.kind === 'Secret';
  return Object.entries(value).every(([key, child]) => {
    if (typeof child !== 'object' || child === null) {
      return collect(child, inSecret || isSecretName(key), found, depth + 1);
    }
    const below =
      (secretKind && (key === 'data' || key === 'stringData')) ||
      (Array.isArray(child) && isSecretName(key));
    return collect(child, inSecret || below, found, depth + 1);
  });
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

const MOST_SECRETS = 200;

/** Shorter ones are only replaced where they stand alone: they may be part of any word. */
const SHORT_SECRET = 5;

/**
 * The secrets of a text that is JSON: none where it is no JSON after all (the other rules look at it as text),
 * `undefined` where nobody can say.
 */
function secretsIn(text: string): Set<string> | undefined {
  let nested: Json;
  try {
    nested = JSON.parse(text);
  } catch (error) {
    return error instanceof SyntaxError ? new Set() : undefined;
  }
  const found = new Set<string>();
  return collect(nested, false, found, 0) ? found : undefined;
}

function redactNestedJson(text: string, replace: Replace): string {
  const found = secretsIn(text);
  if (!found || found.size > MOST_SECRETS) {
    // Nobody can say, or each would cost a walk through the text: all of it is one secret then.
    return replace(text);
  }
  let out = text;
  // The longest first, so that a secret that is part of another one does not break it up.
  for (const secret of [...found].sort((a, b) => b.length - a.length)) {
    const source = JSON.stringify(secret).slice(1, -1);
    if (/^\d/.test(secret)) {
      out = out.replace(
        new RegExp(
          `(:\\s{0,20}"?)${source.replace(
            /[^\w]/g,
            '\\$&',
          )}(?="?\\s{0,20}[,}\\]])`,
          'g',
        ),
        (_match, lead) => `${lead}${replace(secret)}`,
      );
    } else if (NO_SECRET.test(secret) || secret === '') {
      // A word such as true or null, or a reference: nothing to hide.
    } else if (secret.length < SHORT_SECRET) {
      out = out.split(`"${source}"`).join(`"${replace(secret)}"`);
    } else {
      out = out.split(source).join(replace(secret));
    }
  }
  // A secret may be written with escapes of its own, and then was not found in the text.
  const left = [...(secretsIn(out) ?? [])].some(
    secret => found.has(secret) && secret !== '' && !NO_SECRET.test(secret),
  );
  return left ? replace(text) : out;
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

/** What stands in a text where a secret stood: it begins as the secret's keyed digest does, where there is one. */
export function hiddenText(
  secret: string,
  secretDigest?: (secret: string) => string,
): string {
  return secretDigest
    ? `‹secret:${secretDigest(secret).slice(0, 16)}›`
    : '‹secret›';
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
  const replace: Replace = secret => hiddenText(secret, secretDigest);
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
