/** Tells how resources come to an entity, where none did. */
import type { Entity } from '@backstage/catalog-model';
import { Empty } from '../components/states';
import { LINK_ANNOTATION } from './availability';

export function HowToLink({ entity }: { entity: Entity }) {
  const id =
    entity.metadata.annotations?.[LINK_ANNOTATION] ?? entity.metadata.name;
  const isAnnotated =
    entity.metadata.annotations?.[LINK_ANNOTATION] !== undefined;
  return (
    <Empty title="No resource belongs to this entity">
      <p>
        {isAnnotated ? (
          <>
            The entity has the annotation{' '}
            <code>
              {LINK_ANNOTATION}: {id}
            </code>
            , and no declaration bears a label of the same name and value.
          </>
        ) : (
          <>
            Give the entity the annotation{' '}
            <code>
              {LINK_ANNOTATION}: {id}
            </code>
            .
          </>
        )}{' '}
        Then label what is declared for it:
      </p>
      <pre style={{ textAlign: 'left', overflowX: 'auto' }}>
        {`metadata:\n  labels:\n    ${LINK_ANNOTATION}: ${id}`}
      </pre>
    </Empty>
  );
}
