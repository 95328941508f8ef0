import { Avatar, Box, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useSession, useSessionWorkspace } from '../api/session.ts'
import { LazyPopup } from '../ui/lazy-popup.tsx'
import { roleName } from '../ui/roles.ts'
import classes from './header.module.css'

const loadItems = async () => (await import('./account-items.tsx')).AccountItems

/** Name and role of the operator, with a menu for account, density and sign-out. */
export function AccountMenu() {
  const { t } = useTranslation('app')
  const { data } = useSession()
  const role = useSessionWorkspace()?.role
  if (!data) return null
  const { name } = data.operator
  return (
    <LazyPopup load={loadItems} popup={{}}>
      <UnstyledButton className={classes.account ?? ''}>
        <VisuallyHidden>{t('header.accountMenu', { name })}</VisuallyHidden>
        <Avatar name={name} size={28} radius="xl" color="gate" aria-hidden />
        <Box visibleFrom="md" maw={160} aria-hidden>
          <Text size="sm" fw={500} lh={1.2} truncate>
            {name}
          </Text>
          {role && (
            <Text size="xs" c="dimmed" lh={1.2} truncate>
              {roleName(role)}
            </Text>
          )}
        </Box>
      </UnstyledButton>
    </LazyPopup>
  )
}
