import { cleanMessage, errorFromAnswer, retryAfterMs } from './errors';

const detail = (type: string, field: string, message: string) => ({
  '@type': 'type.googleapis.com/kong.admin.model.v1.ErrorDetail',
  type,
  field,
  messages: [message],
});

function answer(
  status: number,
  body: Parameters<typeof errorFromAnswer>[0]['body'],
  more: { method?: string; headers?: Record<string, string> } = {},
) {
  return errorFromAnswer({
    method: more.method ?? 'PUT',
    what: 'PUT services/1',
    status,
    body,
    headers: new Headers(more.headers),
    now: 0,
  });
}

describe('errorFromAnswer', () => {
  it('tells a broken uniqueness from a dangling reference, which look alike', () => {
    const unique = answer(400, {
      code: 3,
      message: 'data constraint error',
      details: [
        detail(
          'ERROR_TYPE_REFERENCE',
          'name',
          "name (type: unique) constraint failed for value 'orders'",
        ),
      ],
    });
    expect(unique.classification).toBe('conflict');
    expect(unique.message).toBe(
      "Konnect refused PUT services/1: data constraint error; name (type: unique) constraint failed for value 'orders'",
    );
    const foreign = {
      code: 3,
      message: 'data constraint error',
      details: [
        detail(
          'ERROR_TYPE_REFERENCE',
          'service.id',
          'service.id (type: foreign) constraint failed',
        ),
      ],
    };
    expect(answer(400, foreign).classification).toBe('invalid');
    expect(answer(400, foreign, { method: 'DELETE' }).classification).toBe(
      'transient',
    );
    expect(
      answer(400, { code: 3, message: 'data constraint error', details: [] })
        .classification,
    ).toBe('conflict');
  });

  it('takes the platform API at its word, without the trace that differs on each request', () => {
    const problem = (instance: string) =>
      answer(400, {
        status: 400,
        title: 'Bad Request',
        instance,
        detail: `Invalid request ${instance}`,
        invalid_parameters: [{ field: 'name', reason: 'too short' }],
      });
    const first = problem('kong:trace:1111');
    expect(first.classification).toBe('invalid');
    expect(first.message).toBe(
      'Konnect refused PUT services/1: Invalid request ; name: too short',
    );
    expect(problem('kong:trace:2222').message).toBe(first.message);
  });

  it.each([
    [401, 'denied'],
    [403, 'denied'],
    [404, 'gone'],
    [409, 'conflict'],
    [422, 'invalid'],
    [429, 'throttled'],
    [500, 'transient'],
    [503, 'transient'],
    [302, 'transient'],
  ])('classifies %i as %s', (status, classification) => {
    expect(answer(status, undefined).classification).toBe(classification);
  });

  it('says when a write may have gone through all the same', () => {
    expect(answer(502, undefined).mayHaveTakenEffect).toBe(true);
    expect(answer(502, undefined, { method: 'GET' }).mayHaveTakenEffect).toBe(
      false,
    );
    expect(answer(400, { code: 3 }).mayHaveTakenEffect).toBe(false);
  });

  it('carries no secret that the API echoes', () => {
    const error = answer(400, {
      code: 3,
      message: 'validation error',
      details: [
        detail(
          'ERROR_TYPE_FIELD',
          'config',
          'password: hunter2 is too short; Authorization: Bearer kpat_abcdefgh',
        ),
      ],
    });
    expect(error.message).not.toMatch(/hunter2|kpat_abc/);
  });

  it('is bounded', () => {
    expect(cleanMessage('x'.repeat(5000)).length).toBeLessThan(700);
  });
});

describe('retryAfterMs', () => {
  const of = (headers: Record<string, string>) =>
    retryAfterMs(new Headers(headers), Date.parse('2026-11-01T00:00:00Z'));

  it('reads seconds, dates and the end of the window, in this order', () => {
    expect(of({ 'retry-after': '7', 'ratelimit-reset': '30' })).toBe(7000);
    expect(of({ 'retry-after': 'Sun, 01 Nov 2026 00:00:09 GMT' })).toBe(9000);
    expect(of({ 'ratelimit-reset': '30' })).toBe(30_000);
    expect(of({})).toBeUndefined();
  });
});
