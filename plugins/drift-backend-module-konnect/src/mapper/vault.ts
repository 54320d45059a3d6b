/** The configuration of a KongVault, with the id of the config store that it names. */
import { at, isObject, textAt } from '@plumbline/backstage-plugin-drift-node';
import type { Json, Problem } from '@plumbline/drift-engine';
import {
  checkGrant,
  dangling,
  KONNECT_GROUP,
  type MapContext,
  type ObjectRef,
} from './lookup';

/** A KonnectConfigStore is no core entity: the operator makes it, and its status says the id. */
export const CONFIG_STORE_KIND = 'KonnectConfigStore';

const PATH = '/spec/configStoreRef';

export async function vaultConfig(
  vault: Json,
  context: MapContext,
): Promise<{ config?: Json; problems: Problem[]; madeFrom: Json[] }> {
  const config = at(vault, 'spec', 'config');
  const reference = at(vault, 'spec', 'configStoreRef');
  const name = textAt(reference, 'name');
  if (!name) {
    return { config, problems: [], madeFrom: [] };
  }
  const ref: ObjectRef = {
    group: KONNECT_GROUP,
    kind: CONFIG_STORE_KIND,
    namespace: textAt(reference, 'namespace'),
    name,
  };
  const store = await context.lookup(ref);
  if (store === undefined) {
    return { config, problems: [dangling(PATH, ref)], madeFrom: [] };
  }
  const problems = await checkGrant(vault, ref, PATH, context);
  const id = textAt(store, 'status', 'id');
  if (!id) {
    problems.push({
      path: PATH,
      reason: 'UnsupportedReference',
      message: `The ${CONFIG_STORE_KIND} ${ref.namespace}/${name} has no id yet (status.id), which only Kong's operator can give it.`,
    });
  }
  return {
    config: {
      ...(isObject(config) && config),
      ...(id && { config_store_id: id }),
    },
    problems,
    madeFrom: [store],
  };
}
