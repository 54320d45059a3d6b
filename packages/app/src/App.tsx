// The example portal. Its plugins are found by `app.packages: all` among the dependencies in package.json.
import { createApp } from '@backstage/frontend-defaults';
import { navModule } from './nav';
import { signInModule } from './signIn';

export default createApp({ features: [navModule, signInModule] });
