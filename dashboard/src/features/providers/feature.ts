import { IconCloudComputing, IconCpu } from '@tabler/icons-react'
import type { Feature } from '../../routing/feature.ts'

export const feature: Feature = {
  pages: [
    { path: '/providers', load: () => import('./providers-page.tsx'), scope: 'providers:read' },
    { path: '/providers/$id', load: () => import('./provider-page.tsx'), scope: 'providers:read' },
    { path: '/models', load: () => import('./models-page.tsx'), scope: 'providers:read' },
  ],
  navigation: [
    { to: '/providers', label: 'providers', icon: IconCloudComputing, section: 'connect', order: 10, scope: 'providers:read' },
    { to: '/models', label: 'models', icon: IconCpu, section: 'connect', order: 20, scope: 'providers:read' },
  ],
}
