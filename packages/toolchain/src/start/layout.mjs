// Where the parts of the running portal are found. The same numbers stand in the app-config files.
export const PORTS = {
  frontend: 3000,
  backend: 7007,
  'sandbox Konnect': 7651,
  'sandbox Kubernetes': 7652,
};

export const PORTAL_URL = `http://localhost:${PORTS.frontend}`;
export const READINESS_URL = `http://localhost:${PORTS.backend}/.backstage/health/v1/readiness`;
