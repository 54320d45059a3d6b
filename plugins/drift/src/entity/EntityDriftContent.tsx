/** The Drift tab of an entity: is it right; if not, what differs, who moved it, since when; what happens next. */
import { ButtonIcon, Card, CardBody, Flex, Text } from '@backstage/ui';
import { RiCloseLine } from '@remixicon/react';
import { stringifyEntityRef, type Entity } from '@backstage/catalog-model';
import { useApi } from '@backstage/core-plugin-api';
import { useAppSearchParams } from '@backstage/frontend-plugin-api';
import { useEntity } from '@backstage/plugin-catalog-react';
import type { Verdict } from '@plumbline/drift-engine';
import { useCallback, useEffect, useRef, useState } from 'react';
import { driftApiRef } from '../api/driftApi';
import { PageContent } from '../components/PageContent';
import { ResourceTable } from '../components/ResourceTable';
import { Empty, LoadError, Loading } from '../components/states';
import { VerdictTag } from '../components/VerdictTag';
import { needsAttention } from '../components/verdicts';
import { ResourceDetails } from '../details/ResourceDetails';
import { useLive } from '../live/useLive';
import { usePages } from '../live/usePages';
import { LINK_ANNOTATION } from './availability';
import { HowToLink } from './HowToLink';
import { Strip } from './Strip';
import { Unavailable } from './Unavailable';
import styles from './Strip.module.css';

/** Needs an entity around it (`useEntity`). */
export function EntityDriftContent() {
  const { entity } = useEntity();
  return <EntityDrift key={stringifyEntityRef(entity)} entity={entity} />;
}

function EntityDrift({ entity }: { entity: Entity }) {
  const entityRef = stringifyEntityRef(entity);
  const api = useApi(driftApiRef);
  const [verdict, setVerdict] = useState<Verdict>();
  const summary = useLive(
    useCallback(() => api.getSummary({ entity: entityRef }), [api, entityRef]),
  );
  const pages = usePages(
    useCallback(
      page =>
        api.listResources({
          ...page,
          entity: entityRef,
          verdict: verdict && [verdict],
        }),
      [api, entityRef, verdict],
    ),
  );
  const { openId, wasAsked, open, close } = useOpenResource(
    pages.live.value?.items.find(item => needsAttention(item.verdict))?.id,
  );

  if (summary.loading) {
    return (
      <PageContent>
        <Loading what="drift" lines={6} />
      </PageContent>
    );
  }
  if (!summary.value) {
    return (
      <PageContent>
        <LoadError what="Drift" live={summary} />
      </PageContent>
    );
  }
  const isEmpty = summary.value.total === 0;
  const cannotSay = (summary.value.unavailable ?? []).length > 0;
  return (
    <PageContent>
      <LoadError what="Drift" live={summary} stale />
      <Unavailable unavailable={summary.value.unavailable} />
      {isEmpty && cannotSay && (
        <Empty title="Not known whether anything belongs to this entity">
          Not everything could be read, so nothing can be said about it. What
          belongs to an entity bears its <code>{LINK_ANNOTATION}</code> as a
          label.
        </Empty>
      )}
      {isEmpty && !cannotSay && <HowToLink entity={entity} />}
      {!isEmpty && (
        <>
          <Strip
            entityRef={entityRef}
            summary={summary.value}
            verdict={verdict}
            onVerdict={setVerdict}
            onChecked={() => {
              summary.reload();
              pages.live.reload();
            }}
          />
          <LoadError
            what="The resources"
            live={pages.live}
            stale={pages.live.value !== undefined}
          />
          <ResourceTable
            pages={pages}
            openId={openId}
            onOpen={open}
            emptyState={
              <Text color="secondary">
                No resource has this verdict any more.
              </Text>
            }
          />
          {openId && (
            <OpenResource
              key={openId}
              id={openId}
              takesFocus={wasAsked}
              onClose={close}
            />
          )}
        </>
      )}
    </PageContent>
  );
}

/** The open resource stands in the URL; without one there, the worst is open until the reader closes it. */
function useOpenResource(worstId: string | undefined) {
  const [params, setParams] = useAppSearchParams();
  const [isClosed, setClosed] = useState(false);
  // Only an opening by the reader moves the focus.
  const [wasAsked, setAsked] = useState(false);
  // Once opened it stays, also when it is put right and is no longer the worst: the reader wants to see that.
  const [firstId, setFirstId] = useState(worstId);
  if (firstId === undefined && worstId !== undefined) setFirstId(worstId);
  const inUrl = params.get('resource') ?? undefined;
  return {
    openId: inUrl ?? (isClosed ? undefined : firstId),
    wasAsked,
    open: (id: string) => {
      setAsked(true);
      setParams(
        old => {
          old.set('resource', id);
          return old;
        },
        { replace: inUrl !== undefined },
      );
    },
    close: () => {
      setClosed(true);
      setParams(
        old => {
          old.delete('resource');
          return old;
        },
        { replace: true },
      );
    },
  };
}

function OpenResource(props: {
  id: string;
  takesFocus: boolean;
  onClose: () => void;
}) {
  const { id, takesFocus, onClose } = props;
  const api = useApi(driftApiRef);
  const live = useLive(useCallback(() => api.getResource(id), [api, id]));
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!takesFocus) return;
    heading.current?.focus({ preventScroll: true });
    heading.current?.scrollIntoView?.({ block: 'nearest' });
  }, [takesFocus]);
  const close = () => {
    document
      .querySelector<HTMLElement>(`[data-resource-id="${CSS.escape(id)}"]`)
      ?.focus();
    onClose();
  };
  return (
    <Card
      role="region"
      aria-labelledby={`resource-${id}`}
      className={styles.details}
      onKeyDown={event => {
        // Fields and menus inside use Escape for themselves.
        if (event.key === 'Escape' && !event.defaultPrevented) close();
      }}
    >
      <CardBody>
        <Flex direction="column" gap="3">
          <Flex justify="between" align="start" gap="3">
            <Flex align="center" gap="3" style={{ flexWrap: 'wrap' }}>
              <Text
                as="h2"
                variant="title-x-small"
                weight="bold"
                id={`resource-${id}`}
                ref={heading}
                tabIndex={-1}
              >
                {live.value?.title ?? 'Resource'}
              </Text>
              {live.value && <VerdictTag verdict={live.value.verdict} />}
            </Flex>
            <ButtonIcon
              variant="tertiary"
              size="small"
              aria-label="Close the details"
              icon={<RiCloseLine />}
              onPress={close}
            />
          </Flex>
          <ResourceDetails live={live} />
        </Flex>
      </CardBody>
    </Card>
  );
}
