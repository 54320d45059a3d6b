import { loadKonnectOpenApi } from '../../src';
import { describeWhere } from '../../src/leftOut';

const api = loadKonnectOpenApi();

describeWhere(
  api !== undefined,
  "Kong's OpenAPI documents are",
  "The judge of exchanges by Kong's OpenAPI documents",
  () => {
    const plane = '/v2/control-planes/9524ec7d-36d9-465d-a8c5-83a3c9390458';
    const services = `${plane}/core-entities/services`;
    const good = {
      method: 'PUT',
      url: `https://us.api.konghq.invalid${services}/7fca84d6`,
      requestBody: { host: 'orders', retries: 5 },
      status: 200,
      responseBody: { id: '7fca84d6', host: 'orders', retries: 5 },
    };
    const messages = (change: Partial<typeof good> | object) =>
      (api?.validateExchange({ ...good, ...change }) ?? []).map(
        ({ side, message }) => `${side}: ${message}`,
      );

    it('has nothing against a right one', () => {
      expect(messages({})).toEqual([]);
      const list = { data: [good.responseBody], next: null };
      expect(
        messages({
          method: 'GET',
          url: `${services}?size=1000&tags=a`,
          requestBody: undefined,
          responseBody: list,
        }),
      ).toEqual([]);
    });

    it('finds unknown fields, wrong types and missing fields', () => {
      expect(
        messages({ requestBody: { host: 'orders', colour: 'red' } }),
      ).toEqual(['request: / must NOT have additional properties (colour)']);
      expect(messages({ requestBody: { retries: 'five' } })).toEqual([
        "request: / must have required property 'host'",
        'request: /retries must be integer,null',
      ]);
      expect(messages({ requestBody: undefined })).toEqual([
        'request: a body is required',
      ]);
    });

    it('finds write-only fields in an answer', () => {
      const leaking = { ...good.responseBody, url: 'http://orders' };
      expect(messages({ responseBody: leaking })).toEqual([
        'response: /url boolean schema is false',
      ]);
    });

    it('finds unknown operations, parameters and answers', () => {
      expect(messages({ method: 'PATCH' })).toEqual([
        'request: there is no such operation',
      ]);
      const get = { method: 'GET', requestBody: undefined };
      expect(
        messages({ ...get, url: `${services}?page=2`, responseBody: {} }),
      ).toEqual(["request: there is no parameter 'page'"]);
      expect(
        messages({ ...get, url: `${services}?size=1001`, responseBody: {} }),
      ).toEqual(['request: size: / must be <= 1000']);
      expect(messages({ status: 202 })).toEqual([
        'response: is not documented',
      ]);
      expect(messages({ status: 500, responseBody: {} })).toEqual([
        'response: has neither message nor detail',
      ]);
    });
  },
);
