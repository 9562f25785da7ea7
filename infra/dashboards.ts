/** The dashboard of a stack. */
import { Stack } from 'aws-cdk-lib'
import { DefaultDashboardFactory, MonitoringFacade } from 'cdk-monitoring-constructs'
import type { Construct } from 'constructs'

/** Names it after stack and region: an account has one dashboard of a name, over all regions. */
export function addDashboard(scope: Construct): MonitoringFacade {
  const { stackName, region } = Stack.of(scope)
  const dashboardFactory = new DefaultDashboardFactory(scope, 'Dashboards', {
    dashboardNamePrefix: `${stackName}-${region}`,
  })
  return new MonitoringFacade(scope, stackName, { dashboardFactory })
}
