import { IconGavel } from '@tabler/icons-react'
import type { Feature } from '../../routing/feature.ts'

const load = () => import('./reviews-page.tsx')

export const feature: Feature = {
  pages: [
    { path: '/reviews', load, scope: 'reviews:read' },
    { path: '/reviews/$id', load, scope: 'reviews:read' },
  ],
  navigation: [{ to: '/reviews', label: 'reviews', icon: IconGavel, section: 'govern', order: 20, scope: 'reviews:read' }],
}
