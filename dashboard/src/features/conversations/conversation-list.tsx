import { Badge, Group, NavLink, Text } from '@mantine/core'
import { IconBellOff, IconPinned } from '@tabler/icons-react'
import { Link as RouterLink } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { oneOf, useFilters } from '../../routing/location.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { ShowMore } from '../../ui/show-more.tsx'
import { RowsSkeleton } from '../../ui/skeletons.tsx'
import { Time } from '../../ui/time.tsx'
import { AssistantHint } from './assistant-hint.tsx'
import { UserAvatar, useConversationHeader } from './avatars.tsx'
import classes from './conversations.module.css'
import type { Connection } from './follow-events.ts'
import { useMember } from './member-context.ts'
import { type Conversation, useConversations } from './member-queries.ts'
import { NewConversation } from './new-conversation.tsx'

const SHOWN = ['pinned', 'archived'] as const
type Shown = (typeof SHOWN)[number]
const FILTERS = { pinned: { pinned: true }, archived: { archived: true } } as const

const readFilters = ({ show }: Readonly<Record<string, unknown>>): { show: Shown | undefined } => ({ show: oneOf(SHOWN, show) })

interface ConversationListProps {
  readonly open: string
  readonly connection: Connection
}

/** The user's conversations, most recently active first. */
export function ConversationList({ open, connection }: ConversationListProps) {
  const { t } = useTranslation('conversations')
  const [filters, setFilters] = useFilters(readFilters)
  const { show } = filters
  const list = useConversations(show ? FILTERS[show] : {})
  return (
    <>
      <Group p="xs" justify="space-between" gap="xs">
        <FilterBar
          filters={[
            {
              name: 'show',
              label: t('list.filter'),
              kind: 'segments',
              pinned: true,
              choices: [
                { value: '', label: t('list.views.all') },
                ...SHOWN.map((value) => ({ value, label: t(`list.views.${value}`) })),
              ],
            },
          ]}
          values={filters}
          onChange={setFilters}
        />
        <NewConversation />
      </Group>
      <nav aria-label={t('title')} className={classes.scroll ?? ''}>
        {list.error && !list.items ? <ErrorState error={list.error} onRetry={list.retry} /> : null}
        {!list.items && !list.error && <RowsSkeleton />}
        {list.items?.length === 0 && (
          <EmptyState title={t('list.none')}>
            {t(`list.hints.${show ?? 'all'}`)} {!show && <AssistantHint />}
          </EmptyState>
        )}
        {list.items?.map((conversation) => (
          <Entry key={conversation.id} conversation={conversation} isOpen={conversation.id === open} show={show} />
        ))}
        <ShowMore list={list} fullWidth variant="subtle" />
      </nav>
      <Text size="xs" c="dimmed" p="xs" role="status">
        {t(connection === 'live' ? 'list.live' : 'list.connecting')}
      </Text>
    </>
  )
}

interface EntryProps {
  readonly conversation: Conversation
  readonly isOpen: boolean
  readonly show: Shown | undefined
}

function Entry({ conversation, isOpen, show }: EntryProps) {
  const { t } = useTranslation('conversations')
  const { userId } = useMember()
  const { name, avatar, kind } = useConversationHeader(conversation)
  const { id, unread_count: unread, last_active_at: at, is_pinned: pinned, is_muted: muted } = conversation
  return (
    <NavLink
      component={RouterLink}
      to={`/conversations/${id}`}
      search={{ as: userId, ...(show && { show }) } as never}
      active={isOpen}
      aria-current={isOpen ? 'page' : undefined}
      label={name}
      description={at === null ? t('list.noMessages') : <Time at={at} />}
      leftSection={<UserAvatar name={name} avatar={avatar} size="md" />}
      rightSection={
        <Group gap={4} wrap="nowrap">
          {pinned && <IconPinned size={14} aria-label={t('list.pinned')} />}
          {muted && <IconBellOff size={14} aria-label={t('list.muted')} />}
          {kind && (
            <Badge size="xs" variant="default">
              {kind}
            </Badge>
          )}
          {unread > 0 && (
            <Badge size="sm" variant="filled" circle={unread < 10} aria-label={t('list.unread', { count: unread })}>
              {unread}
            </Badge>
          )}
        </Group>
      }
    />
  )
}
