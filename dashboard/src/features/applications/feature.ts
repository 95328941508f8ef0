import { IconApps } from '@tabler/icons-react'
import type { Feature } from '../../routing/feature.ts'

export const feature: Feature = {
  pages: [
    { path: '/applications', load: () => import('./applications-page.tsx'), scope: 'applications:read' },
    { path: '/applications/$id', load: () => import('./application-page.tsx'), scope: 'applications:read' },
  ],
  navigation: [{ to: '/applications', label: 'applications', icon: IconApps, order: 20, scope: 'applications:read' }],
}
