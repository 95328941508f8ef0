import { useMantineColorScheme } from '@mantine/core'
import {
  IconBook,
  IconLayoutRows,
  IconLogout,
  IconMoon,
  IconPlus,
  IconSun,
  IconSwitchHorizontal,
  IconUser,
} from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { type Scope, useScopes } from '../api/session.ts'
import { useNavigateTo } from '../routing/location.ts'
import { useDensity } from './density.ts'
import { NAVIGATION } from './features.ts'
import type { PaletteEntry } from './palette-group.ts'
import { signOutAndReload } from './sign-out.ts'
import { useWorkspaceSwitch } from './use-workspace-switch.ts'

/** Opens the form of the page, as its button does (ui/form-dialog.tsx). */
const CREATE = '#create'

/** Pages and actions that the session's scopes allow. */
export function usePaletteActions(): { readonly pages: readonly PaletteEntry[]; readonly actions: readonly PaletteEntry[] } {
  const { t } = useTranslation('app')
  const { hasScope, hasScopeInAll } = useScopes()
  const navigateTo = useNavigateTo()
  const allowed = <E extends { readonly scope?: Scope | undefined }>(entries: readonly E[]) =>
    entries.filter(({ scope }) => hasScope(scope))
  const pages = allowed(NAVIGATION).map(({ to, label, icon }) => ({
    id: to,
    label: t(`navigation.pages.${label}`),
    icon,
    run: () => navigateTo(to),
  }))
  const account = { id: '/account', label: t('header.account'), icon: IconUser, run: () => navigateTo('/account') }
  const creating: readonly (Pick<PaletteEntry, 'label' | 'run'> & { readonly scope: Scope })[] = [
    {
      label: t('palette.createApplication'),
      scope: 'applications:write',
      run: () => navigateTo('/applications', {}, CREATE),
    },
    { label: t('palette.addProvider'), scope: 'providers:write', run: () => navigateTo('/providers', {}, CREATE) },
    { label: t('palette.createDraft'), scope: 'policies:write', run: () => navigateTo('/policies', {}, CREATE) },
    { label: t('palette.createBudget'), scope: 'applications:write', run: () => navigateTo('/budgets', {}, CREATE) },
    { label: t('palette.createUser'), scope: 'people:write', run: () => navigateTo('/settings/users', {}, CREATE) },
  ]
  const workspace = { label: t('palette.createWorkspace'), run: () => navigateTo('/settings/workspace', {}, CREATE) }
  const create = [...allowed(creating), ...(hasScopeInAll('workspaces:write') ? [workspace] : [])].map(({ label, run }) => ({
    id: label,
    label,
    icon: IconPlus,
    run,
  }))
  return { pages: [...pages, account], actions: [...create, ...useSettingActions()] }
}

/** Colors, density, Workspaces, documentation and sign-out. */
function useSettingActions(): readonly PaletteEntry[] {
  const { t } = useTranslation('app')
  const { setColorScheme } = useMantineColorScheme()
  const [density, setDensity] = useDensity()
  const { workspaces, current, switchTo } = useWorkspaceSwitch()
  const other = density === 'compact' ? 'comfortable' : 'compact'
  return [
    { id: 'light', label: t('palette.useLight'), icon: IconSun, run: () => setColorScheme('light') },
    { id: 'dark', label: t('palette.useDark'), icon: IconMoon, run: () => setColorScheme('dark') },
    {
      id: 'density',
      label: other === 'compact' ? t('palette.useCompact') : t('palette.useComfortable'),
      icon: IconLayoutRows,
      run: () => setDensity(other),
    },
    ...workspaces
      .filter(({ id }) => id !== current?.id)
      .map(({ id, name }) => ({
        id,
        label: t('palette.switchWorkspace', { name }),
        icon: IconSwitchHorizontal,
        run: () => switchTo(name),
      })),
    {
      id: 'docs',
      label: t('palette.openDocumentation'),
      icon: IconBook,
      run: () => void window.open('/docs', '_blank', 'noopener'),
    },
    { id: 'sign-out', label: t('header.signOut'), icon: IconLogout, run: () => void signOutAndReload() },
  ]
}
