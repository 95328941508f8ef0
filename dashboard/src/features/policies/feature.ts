import { IconScale } from '@tabler/icons-react'
import type { Feature } from '../../routing/feature.ts'

export const feature: Feature = {
  pages: [
    { path: '/policies', load: () => import('./policies-page.tsx'), scope: 'policies:read' },
    { path: '/policies/drafts/$id', load: () => import('./draft-page.tsx'), scope: 'policies:read' },
    { path: '/policies/$id', load: () => import('./policy-page.tsx'), scope: 'policies:read' },
  ],
  navigation: [{ to: '/policies', label: 'policies', icon: IconScale, section: 'govern', order: 10, scope: 'policies:read' }],
}
