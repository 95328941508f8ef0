import { ActionIcon, Button, Group, Stack, Text, Title, Tooltip } from '@mantine/core'
import { IconArchive, IconArchiveOff, IconArrowLeft, IconPinned, IconPinnedOff } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigateTo } from '../../routing/location.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { notifyError } from '../../ui/notify.ts'
import { RowsSkeleton } from '../../ui/skeletons.tsx'
import { nameOf, UserAvatar, useConversationHeader } from './avatars.tsx'
import { Composer } from './composer.tsx'
import classes from './conversations.module.css'
import { HeldMessages } from './held-messages.tsx'
import { useMember } from './member-context.ts'
import { type Conversation, memberKey, useContact, useConversation, useMessages } from './member-queries.ts'
import { MessagesByDay } from './messages-by-day.tsx'
import { useTyping } from './typing.ts'

/** One conversation: messages, held messages and the composer. */
export function Thread({ id }: { readonly id: string }) {
  const { t } = useTranslation('conversations')
  const { data: conversation, error, refetch } = useConversation(id)
  const messages = useMessages(id)
  useMarkAsRead(conversation, messages.items?.[0]?.id)
  const navigateTo = useNavigateTo()
  const { userId } = useMember()
  if (error && !conversation) {
    return (
      <Stack p="md">
        <ErrorState error={error} onRetry={() => void refetch()} />
        <Button variant="default" onClick={() => navigateTo('/conversations', { as: userId })}>
          {t('allConversations')}
        </Button>
      </Stack>
    )
  }
  const { items } = messages
  return (
    <>
      <Header conversation={conversation} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: makes the scroll area reachable by keyboard */}
      <section className={classes.messages} tabIndex={0} aria-label={t('history.label')}>
        <Stack gap="sm" py="md" role="log" aria-live="polite" aria-busy={!items}>
          {messages.error && !items ? <ErrorState error={messages.error} onRetry={messages.retry} /> : null}
          {!items && !messages.error && <RowsSkeleton />}
          {messages.hasMore && (
            <Button variant="subtle" size="xs" loading={messages.loadingMore} onClick={messages.loadMore}>
              {t('history.earlier')}
            </Button>
          )}
          {items?.length === 0 && <EmptyState title={t('list.noMessages')}>{t('history.hint')}</EmptyState>}
          {items && <MessagesByDay messages={items} />}
          <HeldMessages conversationId={id} />
          <Typing conversationId={id} />
        </Stack>
      </section>
      <Composer conversationId={id} />
    </>
  )
}

/** Marks an open and visible conversation as read. */
function useMarkAsRead(conversation: Conversation | undefined, newest: string | undefined): void {
  const { client, userId } = useMember()
  const queries = useQueryClient()
  const { id, unread_count: unread = 0 } = conversation ?? {}
  useEffect(() => {
    if (id === undefined || newest === undefined || unread === 0) return
    const read = () => {
      if (document.visibilityState !== 'visible') return
      client
        .POST('/v1/conversations/{id}/read', { params: { path: { id } }, body: { message_id: newest } })
        .then(({ data }) => queries.setQueryData(memberKey(userId, 'conversation', id), data), notifyError)
    }
    read()
    document.addEventListener('visibilitychange', read)
    return () => document.removeEventListener('visibilitychange', read)
  }, [client, queries, userId, id, newest, unread])
}

function Header({ conversation }: { readonly conversation: Conversation | undefined }) {
  const { t } = useTranslation('conversations')
  const { name, avatar, kind } = useConversationHeader(conversation)
  const { userId } = useMember()
  const navigateTo = useNavigateTo()
  return (
    <Group p="xs" gap="sm" wrap="nowrap" style={{ borderBottom: '1px solid var(--mantine-color-default-border)' }}>
      <ActionIcon
        variant="subtle"
        color="gray"
        hiddenFrom="sm"
        aria-label={t('allConversations')}
        onClick={() => navigateTo('/conversations', { as: userId })}
      >
        <IconArrowLeft size={18} />
      </ActionIcon>
      <UserAvatar name={name} avatar={avatar} size="md" />
      <div style={{ minWidth: 0, flex: 1 }}>
        <Title order={2} size="h5" lineClamp={1}>
          {conversation ? name : ' '}
        </Title>
        {kind && (
          <Text size="xs" c="dimmed">
            {kind}
          </Text>
        )}
      </div>
      {conversation && <ConversationActions conversation={conversation} />}
    </Group>
  )
}

/** Buttons to pin and archive the conversation for the user. */
function ConversationActions({ conversation: { id, is_pinned, archived_at } }: { readonly conversation: Conversation }) {
  const { t } = useTranslation('conversations')
  const { client, userId } = useMember()
  const queries = useQueryClient()
  const change = (body: { is_pinned: boolean } | { archived_at: number | null }) => {
    client.PUT('/v1/conversations/{id}', { params: { path: { id } }, body }).then(({ data }) => {
      queries.setQueryData(memberKey(userId, 'conversation', id), data)
      void queries.invalidateQueries({ queryKey: memberKey(userId, 'conversations') })
    }, notifyError)
  }
  const archived = archived_at !== null
  const actions = [
    {
      label: t(is_pinned ? 'thread.unpin' : 'thread.pin'),
      Icon: is_pinned ? IconPinnedOff : IconPinned,
      body: { is_pinned: !is_pinned },
    },
    {
      label: t(archived ? 'thread.restore' : 'thread.archive'),
      Icon: archived ? IconArchiveOff : IconArchive,
      body: { archived_at: archived ? null : Math.floor(Date.now() / 1_000) },
    },
  ]
  return actions.map(({ label, Icon, body }) => (
    <Tooltip key={label} label={label}>
      <ActionIcon variant="subtle" color="gray" aria-label={label} onClick={() => change(body)}>
        <Icon size={18} />
      </ActionIcon>
    </Tooltip>
  ))
}

function Typing({ conversationId }: { readonly conversationId: string }) {
  const { t } = useTranslation('conversations')
  const contact = useContact(useTyping(conversationId))
  if (!contact) return null
  return (
    <Text size="sm" c="dimmed" fs="italic">
      {t('thread.typing', { name: nameOf(contact) })}
    </Text>
  )
}
