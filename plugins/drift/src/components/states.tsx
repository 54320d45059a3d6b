/** What every page shows while it loads, when loading failed, and when there is nothing. */
import { Alert, Button, Flex, Skeleton, Text } from '@backstage/ui';
import type { ReactNode } from 'react';
import { messageOf, statusOf } from '../api/errors';
import type { Live } from '../live/useLive';

/** Why something could not be shown, with a way to try again. */
export function LoadError(props: {
  what: string;
  live: Pick<Live<unknown>, 'error' | 'reload'>;
  /** Older content is still shown below. */
  stale?: boolean;
}) {
  const { what, live, stale } = props;
  if (live.error === undefined) return null;
  const denied = statusOf(live.error) === 403;
  return (
    <Alert
      role="alert"
      status={stale ? 'warning' : 'danger'}
      icon
      title={
        stale
          ? `${what} could not be refreshed; what you see may be out of date.`
          : `${what} could not be loaded.`
      }
      description={
        denied
          ? `You may not see this: ${messageOf(live.error)}`
          : messageOf(live.error)
      }
      customActions={
        <Button size="small" variant="secondary" onPress={() => live.reload()}>
          Try again
        </Button>
      }
    />
  );
}

/** Grey bars in the shape of what will come. */
export function Loading(props: { what: string; lines?: number }) {
  return (
    <Flex
      direction="column"
      gap="3"
      role="status"
      aria-label={`Loading ${props.what}`}
    >
      {Array.from({ length: props.lines ?? 4 }, (_, index) => (
        <Skeleton
          key={index}
          height={index === 0 ? 28 : 20}
          width={index === 0 ? '60%' : '100%'}
        />
      ))}
    </Flex>
  );
}

/** Nothing to show, and why that is, so that it is never mistaken for "all is well". */
export function Empty(props: {
  title: string;
  icon?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <Flex direction="column" align="center" gap="2" py="8" px="4">
      {props.icon}
      <Text as="h3" variant="title-x-small" weight="bold">
        {props.title}
      </Text>
      {props.children && (
        <Text
          as="div"
          color="secondary"
          style={{ maxWidth: '40rem', textAlign: 'center' }}
        >
          {props.children}
        </Text>
      )}
    </Flex>
  );
}
