import { IconBrain } from '@tabler/icons-react'
import type { Feature } from '../../routing/feature.ts'

export const feature: Feature = {
  pages: [{ path: '/memory', load: () => import('./memory-page.tsx'), scope: 'memory:read' }],
  navigation: [{ to: '/memory', label: 'memory', icon: IconBrain, section: 'data', order: 20, scope: 'memory:read' }],
}
