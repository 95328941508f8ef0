import { IconHome } from '@tabler/icons-react'
import type { Feature } from '../../routing/feature.ts'

export const feature: Feature = {
  pages: [{ path: '/', load: () => import('./home-page.tsx') }],
  navigation: [{ to: '/', label: 'home', icon: IconHome, order: 10 }],
}
