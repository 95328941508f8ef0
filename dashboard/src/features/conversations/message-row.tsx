import { Badge, Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { AttachedFile } from './attached-file.tsx'
import { nameOf, UserAvatar } from './avatars.tsx'
import classes from './conversations.module.css'
import { ClockTime } from './day.tsx'
import { useMember } from './member-context.ts'
import type { Message } from './member-queries.ts'
import { MessageActions } from './message-actions.tsx'
import { MessageFailure } from './message-failure.tsx'
import { MessageVerdict } from './message-verdict.tsx'
import { Reactions } from './reactions.tsx'

interface MessageRowProps {
  readonly message: Message
  /** The message that an assistant replies to, if it is loaded. */
  readonly repliedTo: Message | undefined
}

/** One message with attachments, verdict and reactions. */
export function MessageRow({ message, repliedTo }: MessageRowProps) {
  const { t } = useTranslation('conversations')
  const { userId } = useMember()
  const { contact, attachments, governance, read_at: readAt, created_at: at, updated_at: updatedAt } = message
  const own = contact.id === userId
  const name = nameOf(contact)
  return (
    <article
      className={`${classes.message} ${own ? classes.own : ''}`}
      aria-label={t('message.label', { name: own ? t('message.you') : name, text: message.message })}
    >
      {!own && <UserAvatar name={name} avatar={contact.avatar_url} size="sm" />}
      <div className={classes.bubble}>
        {!own && (
          <Group gap="xs">
            <Text size="sm" fw={600}>
              {name}
            </Text>
            {contact.is_assistant && (
              <Badge size="xs" variant="default">
                {t('assistant')}
              </Badge>
            )}
          </Group>
        )}
        {repliedTo && (
          <Text size="xs" c="dimmed" lineClamp={1}>
            {t('message.inReplyTo', { text: repliedTo.message })}
          </Text>
        )}
        <Text size="sm" className={classes.text ?? ''}>
          {message.message}
        </Text>
        {attachments.map((attachment) => (
          <AttachedFile key={attachment.id} attachment={attachment} />
        ))}
        {contact.is_assistant && governance && <MessageFailure auditId={governance.audit_id} />}
        <Group gap="xs" mt={4}>
          <Text size="xs" c="dimmed">
            <ClockTime at={at} />
            {updatedAt !== null && <> · {t('message.edited')}</>}
            {own && <> · {t(readAt === null ? 'message.sent' : 'message.read')}</>}
          </Text>
          {governance && <MessageVerdict auditId={governance.audit_id} always={contact.is_assistant} />}
        </Group>
        <Reactions message={message} />
      </div>
      <MessageActions message={message} own={own} />
    </article>
  )
}
