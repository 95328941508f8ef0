import { IconMessages } from '@tabler/icons-react'
import type { Feature } from '../../routing/feature.ts'

const load = () => import('./conversations-page.tsx')

export const feature: Feature = {
  // The page creates an access token of the user.
  pages: [
    { path: '/conversations', load, scope: 'people:write' },
    { path: '/conversations/$id', load, scope: 'people:write' },
  ],
  navigation: [
    {
      to: '/conversations',
      label: 'conversations',
      icon: IconMessages,
      section: 'connect',
      order: 60,
      scope: 'people:write',
    },
  ],
}
