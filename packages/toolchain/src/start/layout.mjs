// Where the parts of the running portal are found. The environment can move each of them, so that two portals can run
// side by side; the app-config files read the same variables, with the same defaults.
import path from 'node:path';
import { ToolchainError } from '../launch/errors.mjs';
import { paths } from '../project.mjs';

const PORTS = [
  { part: 'frontend', variable: 'PORTAL_PORT', usual: 3000 },
  { part: 'backend', variable: 'BACKEND_PORT', usual: 7007 },
  { part: 'sandbox of Konnect', variable: 'SANDBOX_KONNECT_PORT', usual: 7651 },
  {
    part: 'sandbox of Kubernetes',
    variable: 'SANDBOX_KUBERNETES_PORT',
    usual: 7652,
  },
];

function readPort({ variable, usual }, env) {
  const port = Number(env[variable] || usual);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new ToolchainError(
    `${variable} must be a port from 1 to 65535, not "${env[variable]}".`,
    2,
  );
}

/**
 * The ports and folders of one portal.
 *
 * @throws ToolchainError that names the variable with a wrong value
 */
export function portalLayout(env = process.env) {
  const ports = PORTS.map(entry => ({ ...entry, port: readPort(entry, env) }));
  const portOf = wanted =>
    ports.find(({ variable }) => variable === wanted).port;
  const dataDir = path.resolve(env.PORTAL_DATA || paths.data);
  return {
    ports,
    dataDir,
    sandboxDir: path.resolve(
      env.SANDBOX_DATA_DIR || path.join(dataDir, 'sandbox'),
    ),
    portalUrl: `http://localhost:${portOf('PORTAL_PORT')}`,
    readinessUrl: `http://localhost:${portOf(
      'BACKEND_PORT',
    )}/.backstage/health/v1/readiness`,
    konnectPort: portOf('SANDBOX_KONNECT_PORT'),
    kubernetesPort: portOf('SANDBOX_KUBERNETES_PORT'),
  };
}
