import { Code, Paper, Stack, Text } from '@mantine/core'
import { HeldText } from './held-text.tsx'
import type { HeldContent, Mark } from './review-item.ts'

interface HeldMessagesProps {
  readonly content: HeldContent
  readonly marks: readonly Mark[]
}

interface Message {
  readonly role?: string
  readonly content?: unknown
  readonly tool_calls?: unknown
}

const SPEAKERS: Readonly<Record<string, string>> = { user: 'User', assistant: 'Assistant', system: 'System', tool: 'Tool' }

/** What is to be judged: the conversation and, where that is what is held, the answer. */
export function HeldMessages({ content: { messages, completion }, marks }: HeldMessagesProps) {
  const answer = answerIn(completion)
  return (
    <Stack gap="xs">
      {messages.map((message: Message, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a message is its place in the conversation
        <HeldMessage key={index} message={message} marks={marks.filter((mark) => mark.message === index)} />
      ))}
      {answer && <HeldMessage message={answer} speaker="Answer" marks={marks.filter((mark) => mark.message === null)} />}
    </Stack>
  )
}

interface HeldMessageProps {
  readonly message: Message
  readonly speaker?: string
  readonly marks: readonly Mark[]
}

function HeldMessage({ message: { role = '', content, tool_calls }, speaker, marks }: HeldMessageProps) {
  return (
    <Paper withBorder p="sm" {...(speaker && { bg: 'var(--mantine-color-default-hover)' })}>
      <Text size="xs" fw={600} c="dimmed" mb={4}>
        {speaker ?? SPEAKERS[role] ?? role}
      </Text>
      {partsOf(content).map((part, index) =>
        typeof part === 'string' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: a part is its place in the message
          <HeldText key={index} text={part} marks={marks.filter((mark) => (mark.part ?? 0) === index)} />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: as above
          <Json key={index} value={part} />
        ),
      )}
      {tool_calls !== undefined && <Json value={tool_calls} />}
    </Paper>
  )
}

const Json = ({ value }: { readonly value: unknown }) => (
  <Code block mah={240} style={{ overflow: 'auto' }} tabIndex={0}>
    {JSON.stringify(value, null, 2)}
  </Code>
)

/** Texts as they are, everything else (pictures, files) as JSON. */
function partsOf(content: unknown): readonly unknown[] {
  if (typeof content === 'string') return [content]
  if (!Array.isArray(content)) return []
  return content.map((part: { text?: unknown }) => (typeof part?.text === 'string' ? part.text : part))
}

const answerIn = (completion: HeldContent['completion']): Message | undefined =>
  (completion as { choices?: { message?: Message }[] } | undefined)?.choices?.[0]?.message
