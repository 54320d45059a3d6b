/*
 * Turns a plain schema into nodes that can be walked fast: references resolved, properties in maps, children made
 * when first asked for (so recursive types cost nothing). Compiled once per schema object.
 */
import { FieldSchema, Json, ResourceSchema } from '../types';
import { isSecretName } from '../redact/secrets';
import { TIME_SPAN } from './names';

/** A field schema, ready to be walked. Treat it as read-only. */
export class SchemaNode {
  readonly schema: FieldSchema;
  readonly type: NonNullable<FieldSchema['type']>;
  readonly list: 'atomic' | 'set' | 'map';
  readonly keys: readonly string[];
  readonly default: Json | undefined;
  readonly secret: boolean;
  readonly serverOwned: boolean;
  readonly writeOnly: boolean;
  readonly emptyIsAbsent: boolean;
  readonly nullable: boolean;
  /** Nothing but structure is known here: extras inside lists cannot be judged. */
  readonly free: boolean;
  readonly wellKnownNames: boolean;
  /** Several managers may each own a part of it: fields of an object, items by key, members of an open set. */
  readonly shared: boolean;
  /** Finds members of a set that a controller keeps for its own book-keeping. */
  readonly serverMember: RegExp | undefined;
  /** Some string under this node needs more than an equality test. */
  readonly loose: boolean;
  /** A declared value of the right type may still be refused. */
  readonly limited: boolean;

  private readonly definitions: Record<string, FieldSchema>;
  private readonly pending = new Map<string, FieldSchema>();
  private readonly children = new Map<string, SchemaNode>();
  private itemNode: SchemaNode | undefined;
  private valueNode: SchemaNode | undefined;
  private holdsSecret: boolean | undefined;
  private holdsRequired: boolean | undefined;

  constructor(raw: FieldSchema, definitions: Record<string, FieldSchema>) {
    const schema = resolve(raw, definitions);
    this.schema = schema;
    this.definitions = definitions;
    this.type = schema.type ?? guessType(schema);
    this.list = schema.list ?? 'atomic';
    this.keys = schema.keys ?? [];
    this.default = schema.default;
    this.secret = schema.secret === true;
    this.serverOwned = schema.serverOwned === true;
    this.writeOnly = schema.writeOnly === true;
    this.emptyIsAbsent = schema.emptyIsAbsent === true;
    this.nullable = schema.nullable === true;
    this.free = this.type === 'any' && schema.verbatim !== true;
    this.wellKnownNames = schema.wellKnownNames === true;
    this.serverMember = schema.serverMembers?.length
      ? new RegExp(
          `^(?:${schema.serverMembers
            .map(prefix => prefix.replace(/[^\w:-]/g, '\\$&'))
            .join('|')})`,
        )
      : undefined;
    this.shared =
      ((this.type === 'object' || this.type === 'map') && !schema.atomic) ||
      (this.type === 'list' &&
        ((this.list === 'map' && this.keys.length > 0) ||
          (this.list === 'set' && schema.open === true)));
    this.loose =
      schema.trim === true ||
      schema.ignoreCase === true ||
      schema.base64 === true ||
      this.secret;
    this.limited =
      this.type === 'quantity' ||
      this.type === 'duration' ||
      schema.base64 === true ||
      schema.enum !== undefined ||
      schema.minimum !== undefined ||
      schema.maximum !== undefined;
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      this.pending.set(name, property);
    }
  }

  /** The node of a known property, or `undefined`. */
  property(name: string): SchemaNode | undefined {
    return this.children.get(name) ?? this.made(name);
  }

  private made(name: string): SchemaNode | undefined {
    const raw = this.pending.get(name);
    if (raw === undefined) {
      return undefined;
    }
    const node = new SchemaNode(
      secretByName(name, resolve(raw, this.definitions)),
      this.definitions,
    );
    this.children.set(name, node);
    return node;
  }

  propertyNames(): IterableIterator<string> {
    return this.pending.keys();
  }

  /** The node of a property or of a map's value; free where nothing is known. */
  child(name: string): SchemaNode {
    return this.property(name) ?? this.values ?? this.below(name);
  }

  /* eslint-disable @typescript-eslint/no-use-before-define -- the shared nodes are of this class */
  /** The node of something that the schema does not name. */
  below(name: string): SchemaNode {
    if (!this.wellKnownNames) {
      return this.emptyIsAbsent ? FREE_SPARSE : FREE;
    }
    return (this.schema.verbatim ? NAMED_VERBATIM : NAMED).get(name);
  }
  /* eslint-enable @typescript-eslint/no-use-before-define */

  get values(): SchemaNode | undefined {
    if (this.valueNode === undefined && this.schema.values) {
      this.valueNode = new SchemaNode(this.schema.values, this.definitions);
    }
    return this.valueNode;
  }

  get items(): SchemaNode {
    if (this.itemNode === undefined) {
      if (this.schema.items) {
        this.itemNode = new SchemaNode(this.schema.items, this.definitions);
      } else {
        this.itemNode = this.wellKnownNames ? this : this.below('');
      }
    }
    return this.itemNode;
  }

  /** May a secret be somewhere under this node? */
  get mayHoldSecret(): boolean {
    if (this.holdsSecret === undefined) {
      // Recursive types ask again while this is being found out: no secret on the way round.
      this.holdsSecret = false;
      this.holdsSecret =
        this.secret ||
        this.schema.unknownSecret === true ||
        this.someBelow(node => node.mayHoldSecret);
    }
    return this.holdsSecret;
  }

  /** Is a field required somewhere under this node? */
  get mayRequire(): boolean {
    if (this.holdsRequired === undefined) {
      this.holdsRequired = false;
      this.holdsRequired =
        (this.schema.required?.length ?? 0) > 0 ||
        this.someBelow(node => node.mayRequire);
    }
    return this.holdsRequired;
  }

  private someBelow(test: (node: SchemaNode) => boolean): boolean {
    return (
      (this.schema.items !== undefined && test(this.items)) ||
      (this.values !== undefined && test(this.values)) ||
      [...this.propertyNames()].some(name => {
        const node = this.property(name);
        return node !== undefined && test(node);
      })
    );
  }
}

function guessType(schema: FieldSchema): NonNullable<FieldSchema['type']> {
  if (schema.properties) return 'object';
  if (schema.values) return 'map';
  if (schema.items || schema.list) return 'list';
  return 'any';
}

/** A text whose name says that it is a secret is one, also where the schema does not say so. */
function secretByName(name: string, schema: FieldSchema): FieldSchema {
  if (schema.enum !== undefined || !isSecretName(name)) {
    return schema;
  }
  if (schema.type === 'string') {
    return { ...schema, secret: true };
  }
  return schema.type === 'list' && schema.items?.type === 'string'
    ? { ...schema, items: { ...schema.items, secret: true } }
    : schema;
}

function resolve(
  raw: FieldSchema,
  definitions: Record<string, FieldSchema>,
): FieldSchema {
  let schema = raw;
  const seen = new Set<string>();
  while (schema.ref !== undefined) {
    const { ref, ...own } = schema;
    const target = Object.prototype.hasOwnProperty.call(definitions, ref)
      ? definitions[ref]
      : undefined;
    if (seen.has(ref) || target === undefined) {
      return { ...own, type: own.type ?? 'any' };
    }
    seen.add(ref);
    schema = { ...target, ...own };
    if (target.ref !== undefined) {
      schema.ref = target.ref;
    }
  }
  return schema;
}

/** Nothing is known. */
export const FREE: SchemaNode = new SchemaNode({ type: 'any' }, {});

/** Nothing is known, except that the platform does not tell empty from absent. */
const FREE_SPARSE: SchemaNode = new SchemaNode(
  { type: 'any', emptyIsAbsent: true },
  {},
);

/** The nodes below something of which only names are known. */
class NamedNodes {
  private readonly plain: SchemaNode;
  private readonly span: SchemaNode;
  private readonly resources: SchemaNode;
  private readonly byName = new Map<string, SchemaNode>();

  constructor(verbatim: boolean) {
    const any: FieldSchema = { type: 'any', wellKnownNames: true, verbatim };
    this.plain = new SchemaNode(any, {});
    this.span = new SchemaNode({ ...any, lenient: 'duration' }, {});
    const amounts: FieldSchema = {
      ...any,
      values: { type: 'any', verbatim, lenient: 'quantity' },
    };
    this.resources = new SchemaNode(
      { ...any, properties: { limits: amounts, requests: amounts } },
      {},
    );
  }

  get(name: string): SchemaNode {
    if (name === 'resources') {
      return this.resources;
    }
    let node = this.byName.get(name);
    if (node === undefined) {
      node = TIME_SPAN.test(name) ? this.span : this.plain;
      if (this.byName.size > 10_000) {
        this.byName.clear();
      }
      this.byName.set(name, node);
    }
    return node;
  }
}

const NAMED = new NamedNodes(false);
const NAMED_VERBATIM = new NamedNodes(true);

const compiled = new WeakMap<ResourceSchema, SchemaNode>();

/** The root node of a schema, compiled once. */
export function compile(schema: ResourceSchema): SchemaNode {
  let node = compiled.get(schema);
  if (node === undefined) {
    node = new SchemaNode(schema.root, schema.definitions ?? {});
    compiled.set(schema, node);
  }
  return node;
}
