import { Button, Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core'
import { Trans, useTranslation } from 'react-i18next'
import { useAll, useList } from '../../api/queries.ts'
import type { User } from '../../api/schema.d.ts'
import { useScopes } from '../../api/session.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { ShowMore } from '../../ui/show-more.tsx'
import { RowsSkeleton } from '../../ui/skeletons.tsx'
import { UserAvatar } from './avatars.tsx'

interface UserListProps {
  /** User in the page's URL. */
  readonly suggested: string | undefined
  readonly onChoose: (userId: string) => void
}

/** Users that the operator can act as. Assistants are left out. */
export function UserList({ suggested, onChoose }: UserListProps) {
  const { t } = useTranslation('conversations')
  const users = useList('/admin/v1/users', { params: { query: { limit: 50 } } })
  const { hasScope } = useScopes()
  const assistants = useAll('/admin/v1/assistants', {}, { enabled: hasScope('messaging:read') })
  if (users.error && !users.items) return <ErrorState error={users.error} onRetry={users.retry} />
  if (!users.items) return <RowsSkeleton />
  const members = users.items.filter(({ id }) => !assistants.items?.some((assistant) => assistant.id === id))
  if (members.length === 0) {
    return (
      <EmptyState title={t('users.none')} action={<LinkButton to="/settings/users">{t('users.openUsers')}</LinkButton>}>
        {t('users.noneHint')}
      </EmptyState>
    )
  }
  return (
    <Stack>
      {suggested !== undefined && (
        <Paper withBorder p="md">
          <Group justify="space-between">
            <Text>
              <Trans
                ns="conversations"
                i18nKey="users.suggested"
                values={{ user: suggested }}
                components={{ strong: <strong /> }}
              />
            </Text>
            <Button onClick={() => onChoose(suggested)}>{t('users.continueAs', { user: suggested })}</Button>
          </Group>
        </Paper>
      )}
      <Text size="sm" c="dimmed" maw={720}>
        {t('users.notice')}
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
        {members.map((user) => (
          <UserCard key={user.id} user={user} onChoose={onChoose} />
        ))}
      </SimpleGrid>
      <ShowMore list={users} />
    </Stack>
  )
}

function UserCard({ user: { id, username, role, department }, onChoose }: { user: User; onChoose: (userId: string) => void }) {
  const { t } = useTranslation('conversations')
  const description = [role, department].filter(Boolean).join(' · ')
  return (
    <Paper withBorder p="md">
      <Group wrap="nowrap" justify="space-between">
        <Group wrap="nowrap" miw={0}>
          <UserAvatar name={username} avatar={`/v1/avatars/${encodeURIComponent(username)}`} />
          <div style={{ minWidth: 0 }}>
            <Text fw={600} truncate>
              {username}
            </Text>
            <Text size="sm" c="dimmed" truncate>
              {description || t('users.noRole')}
            </Text>
          </div>
        </Group>
        <Button
          variant="light"
          size="xs"
          style={{ flexShrink: 0 }}
          aria-label={t('users.actAs', { user: username })}
          onClick={() => onChoose(id)}
        >
          {t('users.actAsButton')}
        </Button>
      </Group>
    </Paper>
  )
}
