/** One resource: what is wrong, who moved it, what happens next, and what a person may do about it. */
import {
  Alert,
  Flex,
  Link,
  Tab,
  TabList,
  TabPanel,
  Tabs,
  Text,
} from '@backstage/ui';
import { RiExternalLinkLine } from '@remixicon/react';

import { EntityLink } from '../components/EntityLink';
import type {
  ApiActionResult,
  ApiResourceDetail,
} from '@plumbline/backstage-plugin-drift-common';
import { lazy, Suspense, useState } from 'react';
import { LIVE_EDIT_MEANINGS, MODE_MEANINGS } from '../components/policyText';
import { Empty, LoadError, Loading } from '../components/states';
import { Time } from '../components/Time';
import { VERDICT_LOOKS } from '../components/verdicts';
import { Sentence } from '../components/Sentence';
import { OpenQuestion } from '../conflicts/OpenQuestion';
import type { Live } from '../live/useLive';
import { formatExact } from '../live/time';
import { Actions } from './Actions';
import { ChosenFields } from './ChosenFields';
import { Facts } from './Facts';
import { Decisions, Episodes } from './History';
import { Remarks } from './Remarks';
import styles from './ResourceDetails.module.css';

const RawDiff = lazy(() => import('./RawDiff'));

/** @param live - from `useLive` on `getResource` */
export function ResourceDetails(props: { live: Live<ApiResourceDetail> }) {
  const { live } = props;
  const [message, setMessage] = useState<string>();
  const resource = live.value;
  if (live.loading) return <Loading what="the resource" lines={8} />;
  if (!resource) return <LoadError what="The resource" live={live} />;

  return (
    <Flex direction="column" gap="4">
      <LoadError what="The resource" live={live} stale />
      <Flex direction="column" gap="2">
        <Text as="p" variant="body-large" className={styles.sentence}>
          <Sentence>{resource.message}</Sentence>
        </Text>
        <Text as="p" className={`${styles.sentence} ${styles.next}`}>
          <Sentence>{resource.next.message}</Sentence>{' '}
          {resource.next.at && (
            <>
              Next check <Time at={resource.next.at} format="due" />.
            </>
          )}
        </Text>
      </Flex>
      <When resource={resource} />
      <Notices resource={resource} />
      {resource.openConflictId && (
        <OpenQuestion
          conflictId={resource.openConflictId}
          onAnswered={result => {
            live.set(result.resource);
            setMessage(result.message);
          }}
        />
      )}
      <Actions
        resource={resource}
        reload={live.reload}
        onResource={live.set}
        onMessage={setMessage}
      />
      <div role="status">
        {message && <Alert status="success" icon title={message} />}
      </div>
      <Sections
        resource={resource}
        reload={live.reload}
        onDone={result => {
          live.set(result.resource);
          setMessage(result.message);
        }}
      />
    </Flex>
  );
}

function Notices({ resource }: { resource: ApiResourceDetail }) {
  const { paused } = resource.policy;
  return (
    <>
      {resource.stale && (
        <Alert
          status="warning"
          icon
          title="Not verified lately"
          description={
            resource.verifiedAt
              ? `What is shown below was last read at ${formatExact(
                  resource.verifiedAt,
                )}; it may have changed since.`
              : 'It was never verified so far.'
          }
        />
      )}
      {paused && (
        <Alert
          status="info"
          icon
          title={`Paused by ${paused.by}: ${paused.reason}`}
          description={
            paused.until
              ? `Nothing is written until ${formatExact(paused.until)}.`
              : 'Nothing is written until somebody ends the pause.'
          }
        />
      )}
    </>
  );
}

/** The times and the mode, which every question about a drift begins with. */
function When({ resource }: { resource: ApiResourceDetail }) {
  const { since, verifiedAt, lastAgreedAt, changedAt, changedBy } = resource;
  return (
    <ul className={styles.when} aria-label="When">
      <li>
        {VERDICT_LOOKS[resource.verdict].label.toLocaleLowerCase('en-US')} for{' '}
        <Time at={since} format="age" />
      </li>
      <li>
        {verifiedAt ? (
          <>
            verified <Time at={verifiedAt} />
          </>
        ) : (
          'never verified'
        )}
      </li>
      <li>
        {lastAgreedAt ? (
          <>
            last agreed <Time at={lastAgreedAt} />
          </>
        ) : (
          'never seen in agreement'
        )}
      </li>
      {(changedAt || changedBy) && (
        <li>
          live changed {changedAt && <Time at={changedAt} />}
          {changedBy && ` by ${changedBy}`}
        </li>
      )}
      <li>
        mode {resource.policy.mode}: {MODE_MEANINGS[resource.policy.mode]}
        {LIVE_EDIT_MEANINGS[resource.policy.onLiveEdit]}
      </li>
    </ul>
  );
}

function DeclaredIn(props: {
  origin: NonNullable<ApiResourceDetail['origin']>;
}) {
  const { kind, namespace, name, cluster, url } = props.origin;
  const title = `${kind} ${namespace ? `${namespace}/` : ''}${name}`;
  if (!url) return <>{cluster ? `${title} in ${cluster}` : title}</>;
  // A manifest on the backend's own disk has a path, which leads nowhere.
  if (!/^https?:/.test(url)) return <>{`${title} in ${url}`}</>;
  return (
    <Link href={url} target="_blank">
      {title} <RiExternalLinkLine size={12} aria-hidden />
    </Link>
  );
}

function About({ resource }: { resource: ApiResourceDetail }) {
  const { policy, controller, origin } = resource;
  return (
    <Facts
      facts={[
        ['Reason', resource.reason],
        [
          'Who writes',
          policy.actuator === 'operator'
            ? `${controller?.name ?? 'its controller'}, when asked`
            : 'we do',
        ],
        ['Controller seen by', controller?.evidence],
        [
          'Live side',
          resource.liveLink ? (
            <Link key="l" href={resource.liveLink} target="_blank">
              {resource.platformTitle} <RiExternalLinkLine size={12} />
            </Link>
          ) : (
            resource.platformTitle
          ),
        ],
        ['Declared in', origin && <DeclaredIn key="o" origin={origin} />],
        [
          'Belongs to',
          resource.entities.length > 0
            ? resource.entities.map((entityRef, index) => (
                <span key={entityRef}>
                  {index > 0 && ', '}
                  <EntityLink entityRef={entityRef} />
                </span>
              ))
            : 'no entity',
        ],
        [
          'Owner',
          resource.owner && <EntityLink key="w" entityRef={resource.owner} />,
        ],
      ]}
    />
  );
}

function Sections(props: {
  resource: ApiResourceDetail;
  reload: () => Promise<void>;
  onDone: (result: ApiActionResult) => void;
}) {
  const { resource, reload, onDone } = props;
  const hasStates =
    resource.declared !== undefined || resource.live !== undefined;
  return (
    <Tabs>
      <TabList>
        <Tab id="fields" style={{ whiteSpace: 'nowrap' }}>
          Fields ({resource.changes.length})
        </Tab>
        <Tab id="raw">YAML</Tab>
        <Tab id="episodes">Episodes</Tab>
        <Tab id="decisions">Decisions</Tab>
        <Tab id="about">About</Tab>
      </TabList>
      <TabPanel id="fields">
        <Flex direction="column" gap="4" pt="3">
          {resource.changes.length > 0 ? (
            <ChosenFields
              resource={resource}
              neverWrites={
                resource.policy.mode === 'observe' ||
                resource.policy.paused !== undefined
              }
              onChanged={reload}
              onDone={onDone}
            />
          ) : (
            <NoFields resource={resource} />
          )}
          <Remarks resource={resource} />
        </Flex>
      </TabPanel>
      <TabPanel id="raw">
        <Flex direction="column" pt="3">
          {hasStates ? (
            <Suspense fallback={<Loading what="the comparison" lines={8} />}>
              <RawDiff
                left={{ label: 'Declared', state: resource.declared }}
                right={{ label: 'Live', state: resource.live }}
              />
            </Suspense>
          ) : (
            <Empty title="Nothing to compare">
              Whole states are kept only while the two sides differ.
            </Empty>
          )}
        </Flex>
      </TabPanel>
      <TabPanel id="episodes">
        <Flex direction="column" pt="3">
          <Episodes resourceId={resource.id} />
        </Flex>
      </TabPanel>
      <TabPanel id="decisions">
        <Flex direction="column" pt="3">
          <Decisions resourceId={resource.id} />
        </Flex>
      </TabPanel>
      <TabPanel id="about">
        <Flex direction="column" pt="3">
          <About resource={resource} />
        </Flex>
      </TabPanel>
    </Tabs>
  );
}

function NoFields({ resource }: { resource: ApiResourceDetail }) {
  if (resource.verdict === 'InSync') {
    return (
      <Text color="secondary">Every declared field equals its live value.</Text>
    );
  }
  if (resource.verdict === 'Unknown') {
    return (
      <Text color="secondary">
        Not known: the two sides could not be compared. This does not mean that
        they are equal.
      </Text>
    );
  }
  return (
    <Text color="secondary">
      No single field is concerned; the sentence above says what is wrong.
    </Text>
  );
}
