import { IconBuilding, IconFolders, IconUsers } from '@tabler/icons-react'
import type { Feature } from '../../routing/feature.ts'

const scope = 'people:read'
const section = 'settings'

export const feature: Feature = {
  pages: [
    { path: '/settings/users', load: () => import('./users-page.tsx'), scope },
    { path: '/settings/users/$id', load: () => import('./user-page.tsx'), scope },
    { path: '/settings/departments', load: () => import('./departments-page.tsx'), scope },
    { path: '/settings/projects', load: () => import('./projects-page.tsx'), scope },
  ],
  navigation: [
    { to: '/settings/users', label: 'users', icon: IconUsers, section, order: 20, scope },
    { to: '/settings/departments', label: 'departments', icon: IconBuilding, section, order: 30, scope },
    { to: '/settings/projects', label: 'projects', icon: IconFolders, section, order: 40, scope },
  ],
}
