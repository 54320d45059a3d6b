export interface Config {
  drift?: {
    konnect?: {
      /**
       * Konnect control planes to look after. Each becomes the platform `konnect/<id>`.
       */
      controlPlanes?: Array<{
        /**
         * Names the platform: letters, digits, `.`, `_` and `-`. Keep it for ever: what was recorded hangs on it.
         */
        id: string;
        /**
         * Name for people. Default: the `id`.
         */
        title?: string;
        /**
         * The API of the control plane's region, `https://…` or a bare host name. `http://` only on this machine.
         */
        serverUrl: string;
        /**
         * The control plane's id (a UUID). Either this or `controlPlaneName`.
         */
        controlPlaneId?: string;
        /**
         * The control plane's name, looked up once. Either this or `controlPlaneId`.
         */
        controlPlaneName?: string;
        /**
         * Personal (`kpat_…`) or system account (`spat_…`) access token. Comes best from an environment variable.
         * @visibility secret
         */
        token: string;
        /**
         * Requests that all replicas together may send in a minute. Default: 1000.
         */
        requestsPerMinute?: number;
        /**
         * Entities to ask for in one page of a list, 1 to 1000. Default: 1000.
         */
        pageSize?: number;
        /**
         * How long one request may take. Default: 30 seconds.
         */
        requestTimeout?:
          | string
          | {
              minutes?: number;
              seconds?: number;
              milliseconds?: number;
            };
        /**
         * How often to ask whether something may have changed, so that an edit is seen before the next sweep: one small request.
         * Where sweeps come as often (`drift.resync`), nobody asks. `off` or `false`: never. Default: 30 seconds.
         */
        probeInterval?:
          | string
          | false
          | {
              hours?: number;
              minutes?: number;
              seconds?: number;
            };
      }>;
    };
  };
}
