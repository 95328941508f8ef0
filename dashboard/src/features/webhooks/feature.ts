import { IconWebhook } from '@tabler/icons-react'
import type { Feature } from '../../routing/feature.ts'

const scope = 'messaging:read'

export const feature: Feature = {
  pages: [
    { path: '/settings/webhooks', load: () => import('./webhooks-page.tsx'), scope },
    { path: '/settings/webhooks/$id', load: () => import('./webhook-page.tsx'), scope },
  ],
  navigation: [{ to: '/settings/webhooks', label: 'webhooks', icon: IconWebhook, section: 'settings', order: 60, scope }],
}
