// The core entities' side of the stand-in: every collection, flat and under its parents, and plugin schemas.
import { Request, Response, Router } from 'express';
import { badCoreRequest, entityNotFound } from './errors';
import { isObject, JsonObject } from './json';
import { Collection, COLLECTIONS, KINDS } from './kinds';
import { filtered, page } from './paging';
import { describePlugin, PLUGIN_SCHEMAS } from './pluginSchemas';
import { KonnectStore } from './store';

/** Routes under `/v2/control-planes/{cpId}/core-entities`. */
export function entitiesRouter(store: KonnectStore): Router {
  const router = Router({ mergeParams: true });
  for (const collection of COLLECTIONS) {
    // Targets can be read as one list, but only be written under their upstream.
    if (collection !== 'targets') addWrites(router, store, collection);
    router.get<string, { cpId: string }>(
      `/${collection}`,
      (request, response) => {
        const all = store.list(request.params.cpId, collection);
        const { nameField } = KINDS[collection];
        const kept = filtered(request as Request, all, nameField);
        response.json(page(request as Request, kept));
      },
    );
    for (const parent of KINDS[collection].parents) {
      addNested(router, store, collection, parent);
    }
  }
  addMembership(router, store);
  router.get('/schemas/plugins/:name', (request, response) => {
    const { name } = request.params;
    if (!Object.hasOwn(PLUGIN_SCHEMAS, name)) throw entityNotFound();
    response.json(describePlugin(name, PLUGIN_SCHEMAS[name]));
  });
  return router;
}

function by(response: Response): string {
  return String(response.locals.principal);
}

function bodyOf(request: Request): JsonObject {
  if (!isObject(request.body)) {
    throw badCoreRequest('invalid request: the body must be a JSON object');
  }
  return request.body;
}

function addWrites(
  router: Router,
  store: KonnectStore,
  collection: Collection,
): void {
  const wrap = (entity: JsonObject): JsonObject =>
    collection === 'consumer_groups' ? { consumer_group: entity } : entity;
  type Params = { cpId: string; id: string };

  router.post<string, Params>(`/${collection}`, (request, response) => {
    const { cpId } = request.params;
    const input = bodyOf(request as Request);
    response
      .status(201)
      .json(store.create(cpId, collection, input, by(response)));
  });
  router.get<string, Params>(`/${collection}/:id`, (request, response) => {
    const { cpId, id } = request.params;
    const entity = store.get(cpId, collection, id);
    const expand = request.query.list_consumers === 'true';
    response.json(
      expand && collection === 'consumer_groups'
        ? { consumer_group: entity, consumers: store.membersOf(cpId, id) }
        : wrap(entity),
    );
  });
  router.put<string, Params>(`/${collection}/:id`, (request, response) => {
    const { cpId, id } = request.params;
    const input = bodyOf(request as Request);
    response.json(store.upsert(cpId, collection, id, input, by(response)));
  });
  router.delete<string, Params>(`/${collection}/:id`, (request, response) => {
    const { cpId, id } = request.params;
    store.delete(cpId, collection, id, by(response));
    response.status(204).end();
  });
}

/** `services/{id}/routes`, `upstreams/{id}/targets`, `consumers/{id}/plugins`, …: the parent is taken from the path. */
function addNested(
  router: Router,
  store: KonnectStore,
  collection: Collection,
  parent: { field: string; collection: Collection },
): void {
  type Params = { cpId: string; parentId: string; id: string };
  const path = `/${parent.collection}/:parentId/${collection}`;
  const { nameField } = KINDS[collection];
  const parentOf = ({ cpId, parentId }: Params) =>
    store.get(cpId, parent.collection, parentId).id;
  const inputOf = (request: Request, id: string) => ({
    ...bodyOf(request),
    [parent.field]: { id },
  });

  router.get<string, Params>(path, (request, response) => {
    const id = parentOf(request.params);
    const children = store
      .list(request.params.cpId, collection)
      .filter(entity => {
        const reference = entity[parent.field];
        return isObject(reference) && reference.id === id;
      });
    const kept = filtered(request as Request, children, nameField);
    response.json(page(request as Request, kept));
  });
  router.post<string, Params>(path, (request, response) => {
    const input = inputOf(request as Request, parentOf(request.params));
    const { cpId } = request.params;
    response
      .status(201)
      .json(store.create(cpId, collection, input, by(response)));
  });
  router.get<string, Params>(`${path}/:id`, (request, response) => {
    const within = { field: parent.field, id: parentOf(request.params) };
    const { cpId, id } = request.params;
    const found = store.find(cpId, collection, id, within);
    if (!found) throw entityNotFound();
    response.json(found);
  });
  router.put<string, Params>(`${path}/:id`, (request, response) => {
    const within = { field: parent.field, id: parentOf(request.params) };
    const { cpId, id } = request.params;
    const input = inputOf(request as Request, within.id);
    response.json(
      store.upsert(cpId, collection, id, input, by(response), within),
    );
  });
  router.delete<string, Params>(`${path}/:id`, (request, response) => {
    const { cpId, id, parentId } = request.params;
    // Also without the parent: a DELETE of what is not there is answered 204.
    const found = store.find(cpId, parent.collection, parentId);
    if (found) {
      const within = { field: parent.field, id: found.id };
      store.delete(cpId, collection, id, by(response), within);
    }
    response.status(204).end();
  });
}

/** Consumers of a group and groups of a consumer: one relation, written from either end. */
function addMembership(router: Router, store: KonnectStore): void {
  type Params = { cpId: string; id: string; member: string };
  const wanted = (request: Request, field: string): string => {
    const value = bodyOf(request)[field];
    if (typeof value !== 'string' || value === '') {
      throw badCoreRequest(
        `invalid request: '${field}' must be an ID or a name`,
      );
    }
    return value;
  };

  router.get<string, Params>(
    '/consumer_groups/:id/consumers',
    (request, response) => {
      const members = store.membersOf(request.params.cpId, request.params.id);
      const kept = filtered(request as Request, members, 'username');
      response.json(page(request as Request, kept));
    },
  );
  router.post<string, Params>(
    '/consumer_groups/:id/consumers',
    (request, response) => {
      const { cpId, id } = request.params;
      const consumer = wanted(request as Request, 'consumer');
      store.setMember(cpId, id, consumer, true, by(response));
      response.status(201).json({
        consumer_group: store.get(cpId, 'consumer_groups', id),
        consumers: store.membersOf(cpId, id),
      });
    },
  );
  router.delete<string, Params>(
    '/consumer_groups/:id/consumers',
    (request, response) => {
      const { cpId, id } = request.params;
      for (const member of store.membersOf(cpId, id)) {
        store.setMember(cpId, id, member.id, false, by(response));
      }
      response.status(204).end();
    },
  );
  router.delete<string, Params>(
    '/consumer_groups/:id/consumers/:member',
    (request, response) => {
      const { cpId, id, member } = request.params;
      if (
        store.find(cpId, 'consumer_groups', id) &&
        store.find(cpId, 'consumers', member)
      ) {
        store.setMember(cpId, id, member, false, by(response));
      }
      response.status(204).end();
    },
  );

  router.get<string, Params>(
    '/consumers/:id/consumer_groups',
    (request, response) => {
      const groups = store.groupsOf(request.params.cpId, request.params.id);
      const kept = filtered(request as Request, groups, 'name');
      response.json(page(request as Request, kept));
    },
  );
  router.post<string, Params>(
    '/consumers/:id/consumer_groups',
    (request, response) => {
      const { cpId, id } = request.params;
      const group = wanted(request as Request, 'group');
      store.setMember(cpId, group, id, true, by(response));
      response.status(201).json({
        consumer: store.get(cpId, 'consumers', id),
        consumer_groups: store.groupsOf(cpId, id),
      });
    },
  );
  router.delete<string, Params>(
    '/consumers/:id/consumer_groups',
    (request, response) => {
      const { cpId, id } = request.params;
      for (const group of store.groupsOf(cpId, id)) {
        store.setMember(cpId, group.id, id, false, by(response));
      }
      response.status(204).end();
    },
  );
  router.delete<string, Params>(
    '/consumers/:id/consumer_groups/:member',
    (request, response) => {
      const { cpId, id, member } = request.params;
      if (
        store.find(cpId, 'consumers', id) &&
        store.find(cpId, 'consumer_groups', member)
      ) {
        store.setMember(cpId, member, id, false, by(response));
      }
      response.status(204).end();
    },
  );
}
