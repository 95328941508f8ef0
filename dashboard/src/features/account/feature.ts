import type { Feature } from '../../routing/feature.ts'

export const feature: Feature = {
  pages: [{ path: '/account', load: () => import('./account-page.tsx') }],
}
