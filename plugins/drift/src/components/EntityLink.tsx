/** The name of an entity, leading to its page. */
import { Link } from '@backstage/ui';
import {
  useEntityPresentation,
  useEntityRefLink,
} from '@backstage/plugin-catalog-react';

export function EntityLink(props: {
  entityRef: string;
  variant?: 'body-small' | 'body-medium';
}) {
  const { primaryTitle, secondaryTitle } = useEntityPresentation(
    props.entityRef,
  );
  const hrefOf = useEntityRefLink();
  return (
    <Link
      href={hrefOf(props.entityRef)}
      title={secondaryTitle}
      variant={props.variant}
    >
      {primaryTitle}
    </Link>
  );
}
