import { IconUsersGroup } from '@tabler/icons-react'
import type { Feature } from '../../routing/feature.ts'

const scope = 'applications:read'

export const feature: Feature = {
  pages: [
    { path: '/teams', load: () => import('./teams-page.tsx'), scope },
    { path: '/teams/$id', load: () => import('./team-page.tsx'), scope },
  ],
  navigation: [{ to: '/teams', label: 'teams', icon: IconUsersGroup, order: 25, scope }],
}
