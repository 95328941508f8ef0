import { Badge, Group, Text } from '@mantine/core'
import { Time } from '../../ui/time.tsx'
import { AttachedFile } from './attached-file.tsx'
import classes from './conversations.module.css'
import { useMember } from './member.ts'
import type { Message } from './member-queries.ts'
import { MessageActions } from './message-actions.tsx'
import { MessageVerdict } from './message-verdict.tsx'
import { Face, nameOf } from './names.tsx'
import { Reactions } from './reactions.tsx'

interface MessageRowProps {
  readonly message: Message
  /** What an assistant answers with it, as far as it is on the page. */
  readonly answered: Message | undefined
}

/** One message, with everything that others know of it. */
export function MessageRow({ message, answered }: MessageRowProps) {
  const { userId } = useMember()
  const { contact, attachments, governance, read_at: readAt, created_at: at, updated_at: updatedAt } = message
  const own = contact.id === userId
  const name = nameOf(contact)
  return (
    <article className={`${classes.message} ${own ? classes.own : ''}`} aria-label={`${own ? 'You' : name}: ${message.message}`}>
      {!own && <Face name={name} avatar={contact.avatar_url} size="sm" />}
      <div className={classes.bubble}>
        {!own && (
          <Group gap="xs">
            <Text size="sm" fw={600}>
              {name}
            </Text>
            {contact.is_assistant && (
              <Badge size="xs" variant="default" tt="none">
                assistant
              </Badge>
            )}
          </Group>
        )}
        {answered && (
          <Text size="xs" c="dimmed" lineClamp={1}>
            answers “{answered.message}”
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
            {updatedAt !== null && ' · edited'}
            {own && (readAt === null ? ' · sent' : ' · read')}
          </Text>
          {governance && <MessageVerdict auditId={governance.audit_id} always={contact.is_assistant} />}
        </Group>
        <Reactions message={message} />
      </div>
      <MessageActions message={message} own={own} />
    </article>
  )
}
