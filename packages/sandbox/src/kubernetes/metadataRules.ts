/** Rules for the metadata of every object: names, labels, finalizers. */
import { Cause, invalidValue, required } from './errors';
import { Kind } from './kinds';
import { KubeObject } from './types';

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const SUBDOMAIN_TEXT = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`;
const LABEL_TEXT = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${LABEL}')`;
const LABEL_VALUE_TEXT =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/** What is wrong with an object's metadata. */
export function metadataCauses(kind: Kind, object: KubeObject): Cause[] {
  const { name = '', labels = {}, finalizers = [] } = object.metadata;
  const causes: Cause[] = [];
  if (name === '') {
    causes.push(required('metadata.name', 'name or generateName is required'));
  } else if (kind.names === 'segment') {
    if (name === '.' || name === '..' || /[/%]/.test(name)) {
      causes.push(
        invalidValue('metadata.name', name, "may not contain '/' or '%'"),
      );
    }
  } else {
    const isLabel = kind.names === 'label';
    const pattern = new RegExp(`^${isLabel ? LABEL : SUBDOMAIN}$`);
    if (!pattern.test(name)) {
      causes.push(
        invalidValue(
          'metadata.name',
          name,
          isLabel ? LABEL_TEXT : SUBDOMAIN_TEXT,
        ),
      );
    }
    const limit = isLabel ? 63 : 253;
    if (name.length > limit) {
      causes.push(
        invalidValue(
          'metadata.name',
          name,
          `must be no more than ${limit} characters`,
        ),
      );
    }
  }
  for (const value of Object.values(labels)) {
    if (
      value.length > 63 ||
      !/^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/.test(value)
    ) {
      causes.push(invalidValue('metadata.labels', value, LABEL_VALUE_TEXT));
    }
  }
  for (const finalizer of finalizers) {
    if (
      !finalizer.includes('/') &&
      !['orphan', 'foregroundDeletion', 'kubernetes'].includes(finalizer)
    ) {
      causes.push(
        invalidValue(
          'metadata.finalizers',
          finalizer,
          'name is neither a standard finalizer name nor is it fully qualified',
        ),
      );
    }
  }
  return causes;
}
