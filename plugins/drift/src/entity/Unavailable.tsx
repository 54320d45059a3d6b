/** Says what could not be read, so that "nothing wrong" is never said wrongly. */
import { Alert } from '@backstage/ui';
import type { ApiPlatformStatus } from '@plumbline/backstage-plugin-drift-common';
import { Time } from '../components/Time';

export function Unavailable(props: {
  unavailable: ApiPlatformStatus[] | undefined;
}) {
  const unavailable = props.unavailable ?? [];
  if (unavailable.length === 0) return null;
  return (
    <Alert
      status="warning"
      icon
      title="Something could not be read: what is shown may be incomplete."
      description={
        <ul style={{ margin: 0, paddingInlineStart: '1.2em' }}>
          {unavailable.map(item => (
            <li key={`${item.kind} ${item.id}`}>
              <strong>{item.title}</strong> is {item.status}
              {item.message && `: ${item.message}`}
              {item.lastCompleteAt ? (
                <>
                  {' (last read completely '}
                  <Time at={item.lastCompleteAt} />)
                </>
              ) : (
                ' (never read completely)'
              )}
            </li>
          ))}
        </ul>
      }
    />
  );
}
