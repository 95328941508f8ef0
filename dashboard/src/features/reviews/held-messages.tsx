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

const SPEAKERS: Readonly<Record<string, string>> = { user: 'User', assistant: 'Assistant', system: 'System', tool: 'Tool' }

/** What is to be judged: the conversation and, where that is what is held, every answer of it. The detectors mark the first. */
export function HeldMessages({ content: { messages, completion }, marks }: HeldMessagesProps) {
  const answers = answersIn(completion)
  const ofAnswer = marks.filter((mark) => mark.message === null && mark.parameter === null)
  return (
    <Stack gap="xs">
      {messages.map((message: Message, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a message is its place in the conversation
        <HeldMessage key={index} message={message} marks={marks.filter((mark) => mark.message === index)} />
      ))}
      {answers.map((answer, index) => (
        <HeldMessage
          // biome-ignore lint/suspicious/noArrayIndexKey: an answer is its place among the choices
          key={index}
          message={answer}
          speaker={answers.length > 1 ? `Answer ${index + 1}` : 'Answer'}
          marks={index === 0 ? ofAnswer : []}
        />
      ))}
    </Stack>
  )
}

interface HeldMessageProps {
  readonly message: Message
  readonly speaker?: string
  readonly marks: readonly Mark[]
}

function HeldMessage({ message: { role = '', content, ...others }, speaker, marks }: HeldMessageProps) {
  return (
    <Paper withBorder p="sm" {...(speaker && { bg: 'var(--mantine-color-default-hover)' })}>
      <Text size="xs" fw={600} c="dimmed" mb={4}>
        {speaker ?? SPEAKERS[role] ?? role}
      </Text>
      {partsOf(content).map(({ text, others }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a part is its place in the message
        <Fragment key={index}>
          {text !== undefined && <HeldText text={text} marks={marks.filter((mark) => (mark.part ?? 0) === index)} />}
          <Json value={others} />
        </Fragment>
      ))}
      <Json value={others} />
    </Paper>
  )
}

/** Whatever else there is (names, tool calls, pictures, files): nothing that is approved stays unseen. */
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

/** Texts as they are, and what stands beside them. */
function partsOf(content: unknown): readonly Part[] {
  if (typeof content === 'string') return [{ text: content, others: {} }]
  if (!Array.isArray(content)) return []
  return content.map((part: Fields) => {
    const { type, text, ...others } = part
    return typeof text !== 'string' ? { others: part } : { text, others: type === 'text' ? others : { type, ...others } }
  })
}

const answersIn = (completion: HeldContent['completion']): readonly Message[] =>
  (completion as { choices?: { message: Message }[] } | undefined)?.choices?.map(({ message }) => message) ?? []
