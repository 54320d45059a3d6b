// `sandbox kube …`: look at and change the cluster's side, as somebody with kubectl would.
import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { isObject, JsonObject } from '../konnect/json';
import { Context, kubeClient, show, showTable } from './context';
import { unsetField } from './fieldPath';
import { assigned } from './konnectCommands';
import { UsageError } from './usage';

/** Options of `kube` and `manifest` commands. */
export interface ObjectOptions {
  namespace?: string;
  file?: string;
}

const VERBS = ['list', 'get', 'set', 'unset', 'apply', 'delete'];
/** The field managers that kubectl itself leaves. */
const EDIT = 'kubectl-edit';
const APPLY = 'kubectl';

/** Runs one `kube` command. @throws UsageError, RequestFailed, NotRunning */
export async function kubeCommand(
  context: Context,
  [verb, ...args]: string[],
  options: ObjectOptions,
): Promise<void> {
  if (!verb || !VERBS.includes(verb)) {
    throw new UsageError(
      `There is no 'sandbox kube ${verb ?? ''}': there are ${VERBS.join(', ')}`,
    );
  }
  const client = kubeClient(context);
  if (verb === 'apply') {
    if (!options.file) throw new UsageError('sandbox kube apply -f FILE');
    for (const object of readObjects(options.file, options.namespace)) {
      const applied = await client.apply(object, APPLY);
      const { name } = applied.metadata as { name: string };
      context.print(`Applied ${applied.kind} ${name}`);
    }
    return;
  }
  const [kindName, name, ...changes] = args;
  if (!kindName)
    throw new UsageError(`sandbox kube ${verb} KIND [-n NAMESPACE] …`);
  const kind = await client.kind(kindName);
  if (verb === 'list') {
    const objects = await client.list(kind, options.namespace);
    showTable(
      context,
      ['namespace', 'name', 'component'],
      objects.map(object => {
        const {
          namespace,
          name: itsName,
          labels,
        } = object.metadata as JsonObject;
        return {
          ...(context.json && object),
          namespace,
          name: itsName,
          component: isObject(labels)
            ? labels['backstage.io/kubernetes-id']
            : undefined,
        };
      }),
    );
    return;
  }
  if (!name)
    throw new UsageError(
      `sandbox kube ${verb} ${kindName} [-n NAMESPACE] NAME …`,
    );
  const { namespace } = options;
  if (verb === 'delete') {
    await client.remove(kind, name, namespace);
    context.print(`Deleted ${kind.kind} ${name}`);
    return;
  }
  const object = await client.get(kind, name, namespace);
  if (verb === 'get') {
    show(context, object);
    return;
  }
  if (verb === 'unset' && changes.length === 0) {
    throw new UsageError('Name a field to unset');
  }
  const changed =
    verb === 'set'
      ? assigned(object, changes, verb)
      : changes.reduce(unsetField, object);
  const { managedFields: _, ...metadata } = (
    await client.replace(changed, EDIT)
  ).metadata as JsonObject;
  show(context, { ...changed, metadata });
}

/** The objects of a YAML file. @throws UsageError */
function readObjects(
  file: string,
  namespace: string | undefined,
): JsonObject[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`);
  }
  return parseAllDocuments(text).map(document => {
    const object: unknown = document.toJS();
    if (document.errors.length > 0 || !isObject(object)) {
      throw new UsageError(
        `${file}: ${
          document.errors[0]?.message ?? 'every document must be an object'
        }`,
      );
    }
    const metadata = isObject(object.metadata) ? object.metadata : {};
    return {
      ...object,
      metadata: { ...(namespace && { namespace }), ...metadata },
    };
  });
}
