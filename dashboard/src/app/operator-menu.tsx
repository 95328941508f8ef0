import { ActionIcon, Menu, Text } from '@mantine/core'
import { IconLogout, IconUser } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { signOut } from '../api/auth.ts'
import { useSession } from '../api/session.ts'
import { ROLE_NAMES } from '../ui/roles.ts'

/** Name of the operator, link to the account, and sign-out. */
export function OperatorMenu() {
  const { data } = useSession()
  if (!data) return null
  const { name, email, role } = data.operator
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon variant="default" size="lg" aria-label={`${name}, account menu`}>
          <IconUser size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600}>
            {name}
          </Text>
          {email && <Text size="xs">{email}</Text>}
          {role && <Text size="xs">{ROLE_NAMES[role]}</Text>}
        </Menu.Label>
        <Menu.Divider />
        <Menu.Item component={Link} to="/account" leftSection={<IconUser size={16} />}>
          Account
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={signOutAndReload}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

/** Reloads the page so that no data stays in memory. */
async function signOutAndReload(): Promise<void> {
  await signOut()
  location.assign('/dashboard/sign-in')
}
