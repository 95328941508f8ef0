import { Badge, Group, Text } from '@mantine/core'
import { Time } from '../../ui/time.tsx'
import { AttachedFile } from './attached-file.tsx'
import { nameOf, UserAvatar } from './avatars.tsx'
import classes from './conversations.module.css'
import { useMember } from './member-context.ts'
import type { Message } from './member-queries.ts'
import { MessageActions } from './message-actions.tsx'
import { MessageVerdict } from './message-verdict.tsx'
import { Reactions } from './reactions.tsx'

interface MessageRowProps {
  readonly message: Message
  /** The message that an assistant replies to, if it is loaded. */
  readonly repliedTo: Message | undefined
}

/** One message with attachments, verdict and reactions. */
export function MessageRow({ message, repliedTo }: MessageRowProps) {
  const { userId } = useMember()
  const { contact, attachments, governance, read_at: readAt, created_at: at, updated_at: updatedAt } = message
  const own = contact.id === userId
  const name = nameOf(contact)
  return (
    <article className={`${classes.message} ${own ? classes.own : ''}`} aria-label={`${own ? 'You' : name}: ${message.message}`}>
      {!own && <UserAvatar name={name} avatar={contact.avatar_url} size="sm" />}
      <div className={classes.bubble}>
        {!own && (
          <Group gap="xs">
            <Text size="sm" fw={600}>
              {name}
            </Text>
            {contact.is_assistant && (
              <Badge size="xs" variant="default">
                Assistant
              </Badge>
            )}
          </Group>
        )}
        {repliedTo && (
          <Text size="xs" c="dimmed" lineClamp={1}>
            In reply to “{repliedTo.message}”
          </Text>
        )}
        <Text size="sm" className={classes.text ?? ''}>
          {message.message}
        </Text>
        {attachments.map((attachment) => (
          <AttachedFile key={attachment.id} attachment={attachment} />
        ))}
        <Group gap="xs" mt={4}>
          <Text size="xs" c="dimmed">
            <Time at={at} />
            {updatedAt !== null && ' · Edited'}
            {own && (readAt === null ? ' · Sent' : ' · Read')}
          </Text>
          {governance && <MessageVerdict auditId={governance.audit_id} always={contact.is_assistant} />}
        </Group>
        <Reactions message={message} />
      </div>
      <MessageActions message={message} own={own} />
    </article>
  )
}
