import { Badge, Group, NavLink, SegmentedControl, Text } from '@mantine/core'
import { IconBellOff, IconPinned } from '@tabler/icons-react'
import { Link as RouterLink } from '@tanstack/react-router'
import { oneOf, useFilters } from '../../routing/location.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { ShowMore } from '../../ui/show-more.tsx'
import { RowsSkeleton } from '../../ui/skeletons.tsx'
import { Time } from '../../ui/time.tsx'
import { UserAvatar, useConversationHeader } from './avatars.tsx'
import classes from './conversations.module.css'
import type { Connection } from './follow-events.ts'
import { useMember } from './member-context.ts'
import { type Conversation, useConversations } from './member-queries.ts'
import { NewConversation } from './new-conversation.tsx'

const VIEWS = ['all', 'pinned', 'archived'] as const
type View = (typeof VIEWS)[number]
const FILTERS = { all: {}, pinned: { pinned: true }, archived: { archived: true } } as const

const readFilters = ({ show }: Readonly<Record<string, unknown>>): { show: View | undefined } => ({ show: oneOf(VIEWS, show) })

interface ConversationListProps {
  readonly open: string
  readonly connection: Connection
}

/** The user's conversations, most recently active first. */
export function ConversationList({ open, connection }: ConversationListProps) {
  const [{ show = 'all' }, setFilters] = useFilters(readFilters)
  const list = useConversations(FILTERS[show])
  return (
    <>
      <Group p="xs" justify="space-between" gap="xs">
        <SegmentedControl
          size="xs"
          aria-label="Filter conversations"
          data={[
            { value: 'all', label: 'All' },
            { value: 'pinned', label: 'Pinned' },
            { value: 'archived', label: 'Archived' },
          ]}
          transitionDuration={0}
          value={show}
          onChange={(value) => setFilters({ show: value === 'all' ? undefined : (value as View) })}
        />
        <NewConversation />
      </Group>
      <nav aria-label="Conversations" className={classes.scroll ?? ''}>
        {list.error && !list.items ? <ErrorState error={list.error} onRetry={list.retry} /> : null}
        {!list.items && !list.error && <RowsSkeleton />}
        {list.items?.length === 0 && <EmptyState title="No conversations">{EMPTY_HINTS[show]}</EmptyState>}
        {list.items?.map((conversation) => (
          <Entry key={conversation.id} conversation={conversation} isOpen={conversation.id === open} show={show} />
        ))}
        <ShowMore list={list} fullWidth variant="subtle" />
      </nav>
      <Text size="xs" c="dimmed" p="xs" role="status">
        {connection === 'live' ? 'Live' : 'Connecting…'}
      </Text>
    </>
  )
}

const EMPTY_HINTS: Readonly<Record<View, string>> = {
  all: 'Start a conversation, for example with the assistant.',
  pinned: 'Pin a conversation to find it here.',
  archived: 'Archive a conversation to find it here.',
}

interface EntryProps {
  readonly conversation: Conversation
  readonly isOpen: boolean
  readonly show: View
}

function Entry({ conversation, isOpen, show }: EntryProps) {
  const { userId } = useMember()
  const { name, avatar, kind } = useConversationHeader(conversation)
  const { id, unread_count: unread, last_active_at: at, is_pinned: pinned, is_muted: muted } = conversation
  return (
    <NavLink
      component={RouterLink}
      to={`/conversations/${id}`}
      search={{ as: userId, ...(show !== 'all' && { show }) } as never}
      active={isOpen}
      aria-current={isOpen ? 'page' : undefined}
      label={name}
      description={at === null ? 'No messages yet' : <Time at={at} />}
      leftSection={<UserAvatar name={name} avatar={avatar} size="md" />}
      rightSection={
        <Group gap={4} wrap="nowrap">
          {pinned && <IconPinned size={14} aria-label="Pinned" />}
          {muted && <IconBellOff size={14} aria-label="Muted" />}
          {kind && (
            <Badge size="xs" variant="default">
              {kind}
            </Badge>
          )}
          {unread > 0 && (
            <Badge size="sm" variant="filled" circle={unread < 10} aria-label={`${unread} unread`}>
              {unread}
            </Badge>
          )}
        </Group>
      }
    />
  )
}
