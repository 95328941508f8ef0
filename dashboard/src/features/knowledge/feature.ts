import { IconBooks } from '@tabler/icons-react'
import type { Feature } from '../../routing/feature.ts'

export const feature: Feature = {
  pages: [
    { path: '/knowledge', load: () => import('./collections-page.tsx'), scope: 'knowledge:read' },
    { path: '/knowledge/search', load: () => import('./search-page.tsx'), scope: 'knowledge:content' },
    { path: '/knowledge/$id', load: () => import('./collection-page.tsx'), scope: 'knowledge:read' },
    { path: '/knowledge/documents/$id', load: () => import('./document-page.tsx'), scope: 'knowledge:read' },
  ],
  navigation: [{ to: '/knowledge', label: 'knowledge', icon: IconBooks, section: 'data', order: 10, scope: 'knowledge:read' }],
}
