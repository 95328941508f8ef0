import { Menu, Text } from '@mantine/core'
import { IconLogout, IconUser } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useSession, useSessionWorkspace } from '../api/session.ts'
import type { PopupProps } from '../ui/lazy-popup.tsx'
import { roleName } from '../ui/roles.ts'
import { type Density, useDensity } from './density.ts'
import { signOutAndReload } from './sign-out.ts'

/** Menu for account, density and sign-out. */
export function AccountItems({ target }: PopupProps) {
  const { t } = useTranslation('app')
  const [density, setDensity] = useDensity()
  const operator = useSession().data?.operator
  const role = useSessionWorkspace()?.role
  return (
    <Menu position="bottom-end" width={220} defaultOpened>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600} c="var(--mantine-color-text)">
            {operator?.name}
          </Text>
          {operator?.email && <Text size="xs">{operator.email}</Text>}
          {role && <Text size="xs">{roleName(role)}</Text>}
        </Menu.Label>
        <Menu.Divider />
        <Menu.Item component={Link} to="/account" leftSection={<IconUser size={16} />}>
          {t('header.account')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>{t('header.density')}</Menu.Label>
        <Menu.RadioGroup value={density} onChange={(selected) => setDensity(selected as Density)}>
          <Menu.RadioItem value="comfortable">{t('header.comfortable')}</Menu.RadioItem>
          <Menu.RadioItem value="compact">{t('header.compact')}</Menu.RadioItem>
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void signOutAndReload()}>
          {t('header.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
