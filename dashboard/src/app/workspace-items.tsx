import { Menu } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { PopupProps } from '../ui/lazy-popup.tsx'
import classes from './header.module.css'
import { useWorkspaceSwitch } from './use-workspace-switch.ts'

/** From this number on, the menu has a search input. */
const SEARCHED_FROM = 8

/** Menu of the operator's Workspaces. */
export function WorkspaceItems({ target }: PopupProps) {
  const { t } = useTranslation('app')
  const { workspaces, current, switchTo } = useWorkspaceSwitch()
  return (
    <Menu position="bottom-start" width={240} defaultOpened>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown className={classes.workspaces ?? ''}>
        {workspaces.length >= SEARCHED_FROM && <Menu.Search placeholder={t('header.findWorkspace')} />}
        <Menu.Label>{t('header.workspaces')}</Menu.Label>
        <Menu.RadioGroup value={current?.name ?? ''} onChange={(selected) => switchTo(String(selected))}>
          {workspaces.map((workspace) => (
            <Menu.RadioItem key={workspace.id} value={workspace.name} closeMenuOnClick>
              {workspace.name}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  )
}
