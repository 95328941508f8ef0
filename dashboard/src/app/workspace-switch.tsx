import { Text, UnstyledButton } from '@mantine/core'
import { IconSelector } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { LazyPopup } from '../ui/lazy-popup.tsx'
import classes from './header.module.css'
import { useWorkspaceSwitch } from './use-workspace-switch.ts'

const loadItems = async () => (await import('./workspace-items.tsx')).WorkspaceItems

/** Name of the current Workspace. A menu, if there are several. */
export function WorkspaceSwitch() {
  const { t } = useTranslation('app')
  const { workspaces, current } = useWorkspaceSwitch()
  if (!current) return null
  const { name } = current
  if (workspaces.length < 2) {
    return (
      <Text size="sm" fw={500} truncate title={t('header.workspaceNamed', { name })}>
        {name}
      </Text>
    )
  }
  return (
    <LazyPopup load={loadItems} popup={{}}>
      <UnstyledButton className={classes.workspace ?? ''} aria-label={t('header.workspaceNamed', { name })}>
        <Text size="sm" fw={500} truncate>
          {name}
        </Text>
        <IconSelector size={14} aria-hidden />
      </UnstyledButton>
    </LazyPopup>
  )
}
