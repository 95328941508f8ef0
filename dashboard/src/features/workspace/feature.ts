import { IconSettings } from '@tabler/icons-react'
import type { Feature } from '../../routing/feature.ts'

const scope = 'workspaces:read'

export const feature: Feature = {
  pages: [{ path: '/settings/workspace', load: () => import('./workspace-page.tsx'), scope }],
  navigation: [{ to: '/settings/workspace', label: 'workspace', icon: IconSettings, section: 'settings', order: 10, scope }],
}
