/** The pages as the old frontend system mounts them. */
import { Header, Page, TabbedLayout } from '@backstage/core-components';
import { useRouteRef } from '@backstage/core-plugin-api';
import { ConflictsPage } from './conflicts/ConflictsPage';
import { FleetPage } from './fleet/FleetPage';
import { PoliciesPage } from './policies/PoliciesPage';
import { ResourcesPage } from './resources/ResourcesPage';
import { DriftPathsProvider, driftPageRouteRef, pathsUnder } from './routes';

export function DriftPage() {
  const root = useRouteRef(driftPageRouteRef)();
  return (
    <DriftPathsProvider paths={pathsUnder(root)}>
      <Page themeId="tool">
        <Header
          title="Drift"
          subtitle="What runs, compared with what was declared"
        />
        <TabbedLayout>
          <TabbedLayout.Route path="/conflicts" title="Conflicts">
            <ConflictsPage />
          </TabbedLayout.Route>
          <TabbedLayout.Route path="/fleet" title="Fleet">
            <FleetPage />
          </TabbedLayout.Route>
          <TabbedLayout.Route path="/resources" title="Resources">
            <ResourcesPage />
          </TabbedLayout.Route>
          <TabbedLayout.Route path="/policies" title="Policies">
            <PoliciesPage />
          </TabbedLayout.Route>
        </TabbedLayout>
      </Page>
    </DriftPathsProvider>
  );
}
