// What the command line can do, and the error for what it cannot.

/** The command line was wrong; ends with exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** The help text. */
export const USAGE = `sandbox: a demonstration stand-in for Kong Konnect and for a Kubernetes API, on this machine only.

  sandbox start [--konnect-port N] [--kubernetes-port N] [--clean]
                                   start both (7651, 7652); --clean seeds without drifts
  sandbox status                   where they are and what they hold
  sandbox reset [--clean]          put both back to the seed

  sandbox konnect planes           control planes
  sandbox konnect list   PLANE COLLECTION
  sandbox konnect get    PLANE COLLECTION NAME
  sandbox konnect set    PLANE COLLECTION NAME FIELD=VALUE…
  sandbox konnect unset  PLANE COLLECTION NAME FIELD…
  sandbox konnect create PLANE COLLECTION FIELD=VALUE…
  sandbox konnect delete PLANE COLLECTION NAME
  sandbox konnect journal          who changed what

  sandbox kube list   KIND [-n NAMESPACE]
  sandbox kube get    KIND [-n NAMESPACE] NAME
  sandbox kube set    KIND [-n NAMESPACE] NAME FIELD=VALUE…
  sandbox kube unset  KIND [-n NAMESPACE] NAME FIELD…
  sandbox kube apply  -f FILE      create or change what a YAML file says
  sandbox kube delete KIND [-n NAMESPACE] NAME

  sandbox manifest list            the declarations in files
  sandbox manifest get    KIND [-n NAMESPACE] NAME
  sandbox manifest set    KIND [-n NAMESPACE] NAME FIELD=VALUE…
  sandbox manifest unset  KIND [-n NAMESPACE] NAME FIELD…

  sandbox fault add konnect|kube latency|status|throttle|drop|truncate|empty|stale
                    [--method M] [--path '/v2/*'] [--times N] [--probability P] [--ms N] [--jitter-ms N]
                    [--status N] [--retry-after S] [--when before|after] [--how broken|cut|short]
  sandbox fault list
  sandbox fault clear [konnect|kube [ID]]

  sandbox requests [--reset]       how many requests each side has had

PLANE is a control plane (prod-gateway, edge-gateway), COLLECTION one of services, routes, plugins, consumers,
consumer_groups, upstreams, targets. FIELD is a path such as retries, config.minute, spec.containers[name=app].image,
or a JSON pointer; VALUE is YAML. --json prints JSON, --data-dir D names another data folder (or SANDBOX_DATA_DIR).
Exit codes: 0 done, 1 refused, not found or not running, 2 wrong usage.`;
