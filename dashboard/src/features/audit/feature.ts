import { IconListSearch } from '@tabler/icons-react'
import type { Feature } from '../../routing/feature.ts'

export const feature: Feature = {
  pages: [
    { path: '/audit', load: () => import('./audit-page.tsx'), scope: 'audit:read' },
    { path: '/audit/$id', load: () => import('./record-page.tsx'), scope: 'audit:read' },
  ],
  navigation: [{ to: '/audit', label: 'audit', icon: IconListSearch, section: 'govern', order: 30, scope: 'audit:read' }],
}
