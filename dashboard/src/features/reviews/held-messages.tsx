import { Code, Paper, Stack, Text } from '@mantine/core'
import { Fragment } from 'react'
import { useTranslation } from 'react-i18next'
import { choicesIn, type Fields, type Message, partsOf } from './content-parts.ts'
import { HeldText } from './held-text.tsx'
import type { HeldContent, Mark } from './review-item.ts'

interface HeldMessagesProps {
  readonly content: Partial<HeldContent>
  readonly marks: readonly Mark[]
}

const ROLES = ['user', 'assistant', 'system', 'tool'] as const

/** Held content: the messages and, for output holds, all choices of the completion. Marks refer to the first choice. */
export function HeldMessages({ content: { messages = [], completion, sent_characters: sent }, marks }: HeldMessagesProps) {
  const { t } = useTranslation('reviews')
  const choices = choicesIn(completion)
  const completionMarks = marks.filter((mark) => mark.message === null && mark.parameter === null)
  return (
    <Stack gap="xs">
      {messages.map((message: Message, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages have no id
        <HeldMessage key={index} message={message} marks={marks.filter((mark) => mark.message === index)} />
      ))}
      {sent !== undefined && <Text size="sm">{t('content.sent', { count: sent })}</Text>}
      {choices.map((choice, index) => (
        <HeldMessage
          // biome-ignore lint/suspicious/noArrayIndexKey: choices have no id
          key={index}
          message={choice}
          label={choices.length > 1 ? t('content.completionNumber', { number: index + 1 }) : t('content.completion')}
          marks={index === 0 ? completionMarks : []}
        />
      ))}
    </Stack>
  )
}

interface HeldMessageProps {
  readonly message: Message
  readonly label?: string
  readonly marks: readonly Mark[]
}

function HeldMessage({ message: { role = '', content, ...others }, label, marks }: HeldMessageProps) {
  const { t } = useTranslation('reviews')
  const known = ROLES.find((one) => one === role)
  return (
    <Paper withBorder p="sm" {...(label && { bg: 'var(--mantine-color-default-hover)' })}>
      <Text size="xs" fw={600} c="dimmed" mb={4}>
        {label ?? (known ? t(`content.roles.${known}`) : role)}
      </Text>
      {partsOf(content).map(({ text, others }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts have no id
        <Fragment key={index}>
          {text !== undefined && <HeldText text={text} marks={marks.filter((mark) => (mark.part ?? 0) === index)} />}
          <Json value={others} />
        </Fragment>
      ))}
      <Json value={others} />
    </Paper>
  )
}

/** All other fields (names, tool calls, images, files), because reviewers must see everything that they approve. */
function Json({ value }: { readonly value: Fields }) {
  const fields = Object.entries(value).filter(([, field]) => field != null)
  if (fields.length === 0) return null
  return (
    <Code block mah={240} style={{ overflow: 'auto' }} tabIndex={0}>
      {JSON.stringify(Object.fromEntries(fields), null, 2)}
    </Code>
  )
}
