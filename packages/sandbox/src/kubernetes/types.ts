/** The shapes that every Kubernetes object shares. */
import { JsonObject } from './json';

/** One entry of `metadata.managedFields`. */
export interface ManagedFieldsEntry extends JsonObject {
  manager?: string;
  operation?: 'Apply' | 'Update';
  apiVersion?: string;
  time?: string;
  fieldsType?: 'FieldsV1';
  fieldsV1?: JsonObject;
  subresource?: string;
}

/** `metadata.ownerReferences[]`. */
export interface OwnerReference extends JsonObject {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
}

/** The parts of ObjectMeta that the server itself reads or writes. */
export interface ObjectMeta extends JsonObject {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: { [key: string]: string };
  annotations?: { [key: string]: string };
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: ManagedFieldsEntry[];
}

/** Any Kubernetes object. */
export interface KubeObject extends JsonObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

/** RFC 3339 with seconds, as all times in metadata are. */
export const timestamp = (date: Date) =>
  date.toISOString().replace(/\.\d+Z$/, 'Z');
