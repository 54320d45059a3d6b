import { HumanDuration } from '@backstage/types';

export interface Config {
  /** Reconcile loops and drift state. */
  drift?: {
    /** Every resource is verified at least this often. Default: 60 seconds. */
    resync?: HumanDuration | string;
    /** What was not verified for this long is shown as Unknown. Default: 5 minutes. */
    maxStaleness?: HumanDuration | string;
    /** Passes at the same time in one backend process. Default: 8. */
    concurrency?: number;
    /** How long decisions are kept, and the settled intents and schemas that only they need. Default: 90 days. */
    decisionRetention?: HumanDuration | string;
    /** More orphans than this at once are not deleted before a person said so. */
    prune?: {
      /** Default: 10. */
      maxItems?: number;
      /** Percent of a platform's resources. Default: 10. */
      maxPercent?: number;
    };
    /**
     * Key of the digests that stand for secret values in the database, the API and the pages. Default: a random one that
     * the installation makes once and keeps in its database.
     * @visibility secret
     */
    secretDigestKey?: string;
    /** Policy where no narrower one says otherwise. */
    defaults?: {
      /** Default: observe. */
      mode?: 'observe' | 'ask' | 'enforce';
      /** Default: revert. */
      onLiveEdit?: 'revert' | 'ask' | 'accept';
      /** Default: ask. */
      onFirstSight?: 'ask' | 'declared' | 'live';
      /** Default: operator where a controller is seen at work, else direct. */
      actuator?: 'direct' | 'operator';
      /** Delete what bears our mark and is no longer declared. Default: false. */
      prune?: boolean;
      paused?: boolean;
      resync?: HumanDuration | string;
      maxStaleness?: HumanDuration | string;
    };
    /** The narrowest scope wins, setting by setting. */
    policies?: Array<{
      scope: {
        /** Id of a platform: konnect/prod, kubernetes/prod. */
        platform?: string;
        /** services, apps/v1/Deployment */
        kind?: string;
        namespace?: string;
        name?: string;
      };
      mode?: 'observe' | 'ask' | 'enforce';
      onLiveEdit?: 'revert' | 'ask' | 'accept';
      onFirstSight?: 'ask' | 'declared' | 'live';
      actuator?: 'direct' | 'operator';
      prune?: boolean;
      paused?: boolean;
      resync?: HumanDuration | string;
      maxStaleness?: HumanDuration | string;
    }>;
  };
}
