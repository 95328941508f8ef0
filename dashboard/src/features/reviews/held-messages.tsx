import { Code, Paper, Stack, Text } from '@mantine/core'
import { Fragment } from 'react'
import { HeldText } from './held-text.tsx'
import type { HeldContent, Mark } from './review-item.ts'

interface HeldMessagesProps {
  readonly content: HeldContent
  readonly marks: readonly Mark[]
}

interface Message {
  readonly role?: string
  readonly content?: unknown
  readonly [field: string]: unknown
}

const ROLE_LABELS: Readonly<Record<string, string>> = { user: 'User', assistant: 'Assistant', system: 'System', tool: 'Tool' }

/** Held content: the messages and, for output holds, all choices of the completion. Marks refer to the first choice. */
export function HeldMessages({ content: { messages, completion }, marks }: HeldMessagesProps) {
  const choices = choicesIn(completion)
  const completionMarks = marks.filter((mark) => mark.message === null && mark.parameter === null)
  return (
    <Stack gap="xs">
      {messages.map((message: Message, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages have no id
        <HeldMessage key={index} message={message} marks={marks.filter((mark) => mark.message === index)} />
      ))}
      {choices.map((choice, index) => (
        <HeldMessage
          // biome-ignore lint/suspicious/noArrayIndexKey: choices have no id
          key={index}
          message={choice}
          label={choices.length > 1 ? `Completion ${index + 1}` : 'Completion'}
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
  return (
    <Paper withBorder p="sm" {...(label && { bg: 'var(--mantine-color-default-hover)' })}>
      <Text size="xs" fw={600} c="dimmed" mb={4}>
        {label ?? ROLE_LABELS[role] ?? role}
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

type Fields = Readonly<Record<string, unknown>>

interface Part {
  readonly text?: string
  readonly others: Fields
}

/** Splits content into texts and other fields. */
function partsOf(content: unknown): readonly Part[] {
  if (typeof content === 'string') return [{ text: content, others: {} }]
  if (!Array.isArray(content)) return []
  return content.map((part: Fields) => {
    const { type, text, ...others } = part
    return typeof text !== 'string' ? { others: part } : { text, others: type === 'text' ? others : { type, ...others } }
  })
}

const choicesIn = (completion: HeldContent['completion']): readonly Message[] =>
  (completion as { choices?: { message: Message }[] } | undefined)?.choices?.map(({ message }) => message) ?? []
