import { IconKey } from '@tabler/icons-react'
import type { Feature } from '../../routing/feature.ts'

export const feature: Feature = {
  pages: [{ path: '/settings/tokens', load: () => import('./tokens-page.tsx'), scope: 'operators:read' }],
  navigation: [
    { to: '/settings/tokens', label: 'Admin tokens', icon: IconKey, section: 'Settings', order: 90, scope: 'operators:read' },
  ],
}
