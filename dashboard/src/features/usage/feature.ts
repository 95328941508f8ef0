import { IconChartBar } from '@tabler/icons-react'
import type { Feature } from '../../routing/feature.ts'

const scope = 'audit:read'

export const feature: Feature = {
  pages: [{ path: '/usage', load: () => import('./usage-page.tsx'), scope }],
  navigation: [{ to: '/usage', label: 'usage', icon: IconChartBar, order: 15, scope }],
}
