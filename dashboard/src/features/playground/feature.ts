import { IconFlask } from '@tabler/icons-react'
import type { Feature } from '../../routing/feature.ts'

export const feature: Feature = {
  pages: [{ path: '/playground', load: () => import('./playground-page.tsx'), scope: 'playground:use' }],
  navigation: [{ to: '/playground', label: 'playground', icon: IconFlask, order: 30, scope: 'playground:use' }],
}
