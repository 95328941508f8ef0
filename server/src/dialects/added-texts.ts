import type { ChatMessage } from '../shared/message.ts'

export interface AddedTexts {
  /** Texts of policies: system messages before those of the client. */
  readonly systemTexts: readonly string[]
  /** Retrieved passages and memories; empty: none. */
  readonly context: string
}

type Content = NonNullable<ChatMessage['content']>

export function withAddedTexts(
  messages: readonly ChatMessage[],
  { systemTexts, context }: AddedTexts,
  append = appendText,
): readonly ChatMessage[] {
  const added = systemTexts.map((content) => ({ role: 'system', content }))
  return [...added, ...(context === '' ? messages : withContext(messages, context, append))]
}

/** It follows the last user message, so that the prompt cache fits the next turn; a part, because many models refuse two messages of one role. */
function withContext(messages: readonly ChatMessage[], context: string, append: typeof appendText): readonly ChatMessage[] {
  const at = messages.findLastIndex(({ role }) => role === 'user')
  if (at < 0) return [...messages, { role: 'user', content: context }]
  return messages.map((message, index) =>
    index === at ? { ...message, content: append(message.content ?? '', context) } : message,
  )
}

/** A string stays a string: some compatible servers read no parts. */
const appendText = (content: Content, text: string): Content =>
  Array.isArray(content) ? [...content, { type: 'text', text }] : joinText(content, text)

const joinText = (content: Content, text: string): string => (content === '' ? text : `${String(content)}\n\n${text}`)

/** The context as a separate part, for APIs in which the part before it can be the end of the cached prompt. */
export const appendPart = (content: Content, text: string): Content => [
  ...(typeof content === 'string' ? (content === '' ? [] : [{ type: 'text', text: content }]) : content),
  { type: 'text', text },
]
