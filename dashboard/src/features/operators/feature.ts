import { IconUsersGroup } from '@tabler/icons-react'
import type { Feature } from '../../routing/feature.ts'

export const feature: Feature = {
  pages: [{ path: '/settings/operators', load: () => import('./operators-page.tsx'), scope: 'operators:read' }],
  navigation: [
    {
      to: '/settings/operators',
      label: 'operators',
      icon: IconUsersGroup,
      section: 'settings',
      order: 80,
      scope: 'operators:read',
    },
  ],
}
