import { IconKey } from '@tabler/icons-react'
import type { Feature } from '../../routing/feature.ts'

export const feature: Feature = {
  pages: [{ path: '/settings/tokens', load: () => import('./tokens-page.tsx'), scope: 'operators:read' }],
  navigation: [
    { to: '/settings/tokens', label: 'tokens', icon: IconKey, section: 'settings', order: 90, scope: 'operators:read' },
  ],
}
