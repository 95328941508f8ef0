import type { Feature } from '../../routing/feature.ts'

export const feature: Feature = {
  pages: [
    { path: '/sign-in', load: () => import('./sign-in-page.tsx'), public: true },
    { path: '/welcome', load: () => import('./welcome-page.tsx'), public: true },
  ],
}
