export interface Config {
  drift?: {
    /** Kubernetes clusters: as platforms of record, and as places that hold declarations. */
    kubernetes?: {
      /**
       * Take the clusters and their authentication from the Kubernetes plugin, where it is installed in this backend.
       * Default: true. Clusters with a client-side authentication provider (oidc, google, aks) are left out.
       */
      useKubernetesPlugin?: boolean;
      /** Clusters beside those of the Kubernetes plugin. A cluster that both name is taken from here. */
      clusters?: Array<{
        /** Unique; part of the platform's id `kubernetes/<name>`. Never rename it: history belongs to the id. */
        name: string;
        /** For people. */
        title?: string;
        /** Address of the API server. Plain http is accepted for loopback addresses only. */
        url?: string;
        /** @visibility secret */
        serviceAccountToken?: string;
        /** File that holds the token; read again for every request, so that a rotated one is honoured. */
        serviceAccountTokenFile?: string;
        /** A kubeconfig file, instead of url and token. */
        kubeconfig?: string;
        /** Context of the kubeconfig. Default: its current one. */
        context?: string;
        /** Base64 of the PEM bundle of the server's authority. */
        caData?: string;
        /** File with the PEM bundle of the server's authority. */
        caFile?: string;
        /** Do not check the server's certificate. For trying out only. */
        skipTLSVerify?: boolean;
        /** Requests that all replicas together may send to this cluster. Default: 600. */
        requestsPerMinute?: number;
      }>;
      /**
       * Kinds that are read in bulk, such as `apps/v1/Deployment` or `v1/Service`. Kinds that a declaration names are read
       * in any case. Default: the common workload, network and configuration kinds, without Secrets.
       */
      kinds?: string[];
      /** Only these namespaces are read and written. Default: all. */
      namespaces?: string[];
      /** Manifests that declare what should run in a cluster. */
      manifests?: Array<{
        /** Name of the cluster. */
        cluster: string;
        /** `url`: by the URL reader of the backend. `file`: a file or folder, relative to the backend's working directory. */
        type?: 'url' | 'file';
        target: string;
        /** Its name for people. Default: the target; of an absolute path only the last part. */
        title?: string;
        /** Namespace of objects that name none. Default: `default`. */
        namespace?: string;
      }>;
      /** Take what `kubectl apply` last applied as the declared state of an object. */
      lastApplied?: {
        /** Default: false. */
        enabled?: boolean;
        /** Default: all clusters. */
        clusters?: string[];
        /** Default: the kinds above. */
        kinds?: string[];
      };
      /** Custom resources that declare something on another platform, such as Kong's. */
      customResources?: {
        /** Default: all clusters. */
        clusters?: string[];
      };
    };
  };
}
