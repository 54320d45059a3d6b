// The platform API's side of the stand-in: control planes, and the hash of a control plane's configuration.
import { Request, Response, Router } from 'express';
import { ControlPlane, readControlPlane } from './controlPlane';
import { InvalidParameter, KonnectAnswer, problem } from './errors';
import { isUuid } from './kinds';
import { KonnectStore } from './store';

const DEFAULT_SIZE = 10;
const MAX_SIZE = 1000;

/** Routes under `/v2/control-planes`. */
export function controlPlanesRouter(
  store: KonnectStore,
  trace: () => string,
): Router {
  const router = Router();
  const badRequest = (detail: string, invalid: InvalidParameter[]) =>
    problem(400, 'Bad Request', detail, trace(), invalid);
  const notFound = (): KonnectAnswer =>
    problem(
      404,
      'Not Found',
      'The requested control plane was not found.',
      trace(),
    );
  const conflict = () =>
    problem(
      409,
      'Conflict',
      'Control Plane with provided name already exists.',
      trace(),
    );
  const by = (response: Response) => String(response.locals.principal);
  const idOf = (request: Request): string => {
    const { id } = request.params;
    if (!isUuid(id)) {
      throw badRequest('Request contains invalid ID format', [
        { field: 'id', reason: 'invalid ID format' },
      ]);
    }
    return id.toLowerCase();
  };

  router.get('/', (request, response) => {
    const query = request.query as Record<string, unknown>;
    const paging = (query.page ?? {}) as Record<string, unknown>;
    const size = whole(paging.size, DEFAULT_SIZE);
    const number = whole(paging.number, 1);
    if (size === undefined || size > MAX_SIZE || number === undefined) {
      const field = number === undefined ? 'page[number]' : 'page[size]';
      throw badRequest('Request contains an invalid page', [
        {
          field,
          reason:
            field === 'page[size]'
              ? `must be an integer between 1 and ${MAX_SIZE}`
              : 'must be a positive integer',
          source: 'query',
        },
      ]);
    }
    const found = store
      .controlPlanes()
      .filter(controlPlane => matches(controlPlane, query));
    response.json({
      data: found.slice((number - 1) * size, number * size),
      meta: { page: { number, size, total: found.length } },
    });
  });

  router.post('/', (request, response) => {
    const { input, invalid } = readControlPlane(request.body, true);
    if (invalid.length > 0) throw badRequest('Invalid request', invalid);
    const created = store.createControlPlane(input, by(response));
    if (!created) throw conflict();
    response.status(201).json(created);
  });

  router.get('/:id', (request, response) => {
    const found = store.controlPlane(idOf(request));
    if (!found) throw notFound();
    response.json(found);
  });

  router.patch('/:id', (request, response) => {
    const id = idOf(request);
    const { input, invalid } = readControlPlane(request.body, false);
    if (invalid.length > 0) throw badRequest('Invalid request', invalid);
    if (
      store
        .controlPlanes()
        .some(other => other.id !== id && other.name === input.name)
    ) {
      throw conflict();
    }
    const patched = store.patchControlPlane(id, input, by(response));
    if (!patched) throw notFound();
    response.json(patched);
  });

  router.delete('/:id', (request, response) => {
    if (!store.deleteControlPlane(idOf(request), by(response))) {
      throw notFound();
    }
    response.status(204).end();
  });

  router.get('/:id/expected-config-hash', (request, response) => {
    const id = idOf(request);
    if (!store.controlPlane(id)) throw notFound();
    response.json(store.configHash(id));
  });

  return router;
}

/** A positive integer, `fallback` when nothing was given, undefined when it is something else. */
function whole(given: unknown, fallback: number): number | undefined {
  if (given === undefined || given === '') return fallback;
  const value = Number(given);
  return Number.isInteger(value) && value > 0 ? value : undefined;
}

/** Applies `filter[id|name|cluster_type][eq|oeq|neq|contains]` and `labels=key:value,key`. */
function matches(
  controlPlane: ControlPlane,
  query: Record<string, unknown>,
): boolean {
  const filter = (query.filter ?? {}) as Record<
    string,
    Record<string, string> | undefined
  >;
  const passes = (value: string, test: Record<string, string> | undefined) =>
    !test ||
    ((test.eq === undefined || value === test.eq) &&
      (test.neq === undefined || value !== test.neq) &&
      (test.oeq === undefined || test.oeq.split(',').includes(value)) &&
      (test.contains === undefined || value.includes(test.contains)));
  const labels = typeof query.labels === 'string' ? query.labels : '';
  return (
    passes(controlPlane.id, filter.id) &&
    passes(controlPlane.name, filter.name) &&
    passes(controlPlane.config.cluster_type, filter.cluster_type) &&
    labels
      .split(',')
      .filter(Boolean)
      .every(wanted => {
        const [key, ...value] = wanted.split(':');
        const label = controlPlane.labels[key];
        return (
          label !== undefined &&
          (value.length === 0 || label === value.join(':'))
        );
      })
  );
}
