import { IconCoins } from '@tabler/icons-react'
import type { Feature } from '../../routing/feature.ts'

const scope = 'applications:read'

export const feature: Feature = {
  pages: [
    { path: '/budgets', load: () => import('./budgets-page.tsx'), scope },
    { path: '/budgets/$id', load: () => import('./budget-page.tsx'), scope },
  ],
  navigation: [{ to: '/budgets', label: 'budgets', icon: IconCoins, section: 'govern', order: 50, scope }],
}
