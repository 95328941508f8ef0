import { Button, Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core'
import type { ItemOf } from '../../api/operations.ts'
import { useAll, useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { RowsSkeleton } from '../../ui/skeletons.tsx'
import { Face } from './names.tsx'

type User = ItemOf<'/admin/v1/users'>

interface ChooseUserProps {
  /** Whom the page's address names. */
  readonly suggested: string | undefined
  readonly onChoose: (userId: string) => void
}

/** The people of the Workspace; nobody speaks for an assistant. */
export function ChooseUser({ suggested, onChoose }: ChooseUserProps) {
  const users = useList('/admin/v1/users', { params: { query: { limit: 50 } } })
  const { may } = useScopes()
  const assistants = useAll('/admin/v1/assistants', {}, { enabled: may('messaging:read') })
  if (users.error && !users.items) return <ErrorState error={users.error} onRetry={users.retry} />
  if (!users.items) return <RowsSkeleton />
  const people = users.items.filter(({ id }) => !assistants.items?.some((assistant) => assistant.id === id))
  if (people.length === 0) {
    return <EmptyState title="No users">Add users under Settings, Users: then you can see here what they see.</EmptyState>
  }
  return (
    <Stack>
      {suggested !== undefined && (
        <Paper withBorder p="md">
          <Group justify="space-between">
            <Text>
              This link shows conversations of <strong>{suggested}</strong>.
            </Text>
            <Button onClick={() => onChoose(suggested)}>Open as {suggested}</Button>
          </Group>
        </Paper>
      )}
      <Text size="sm" c="dimmed">
        You are issued a token of theirs for as long as this window is open. What you read counts as read by them, and what you
        say is said by them; the audit log knows that the token was yours.
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
        {people.map((user) => (
          <Person key={user.id} user={user} onChoose={onChoose} />
        ))}
      </SimpleGrid>
      {users.hasMore && (
        <Button variant="default" loading={users.loadingMore} onClick={users.more}>
          Show more
        </Button>
      )}
    </Stack>
  )
}

function Person({ user: { id, username, role, department }, onChoose }: { user: User; onChoose: (userId: string) => void }) {
  const about = [role, department].filter(Boolean).join(', ')
  return (
    <Paper withBorder p="md">
      <Group wrap="nowrap" justify="space-between">
        <Group wrap="nowrap" miw={0}>
          <Face name={username} avatar={`/v1/avatars/${encodeURIComponent(username)}`} />
          <div style={{ minWidth: 0 }}>
            <Text fw={600} truncate>
              {username}
            </Text>
            <Text size="sm" c="dimmed" truncate>
              {about || 'no role'}
            </Text>
          </div>
        </Group>
        <Button
          variant="light"
          size="xs"
          style={{ flexShrink: 0 }}
          aria-label={`Speak as ${username}`}
          onClick={() => onChoose(id)}
        >
          Speak
        </Button>
      </Group>
    </Paper>
  )
}
