// Signs everybody in as the guest, without a click: this is a portal for trying things out.
import { ProxiedSignInPage } from '@backstage/core-components';
import { createFrontendModule } from '@backstage/frontend-plugin-api';
import {
  SignInPageBlueprint,
  type SignInPageProps,
} from '@backstage/plugin-app-react';

const GuestSignInPage = (props: SignInPageProps) => (
  <ProxiedSignInPage {...props} provider="guest" />
);

export const signInModule = createFrontendModule({
  pluginId: 'app',
  extensions: [
    SignInPageBlueprint.make({
      params: { loader: async () => GuestSignInPage },
    }),
  ],
});
