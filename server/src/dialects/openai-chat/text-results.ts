import type { ChatMessage, ContentPart } from '../../shared/message.ts'

/**
 * The results of tools as texts: the API takes nothing else in them. Their pictures and files stand in a message of the user, behind all results
 * that follow the same calls, each with the id of its call.
 */
export function withTextResults(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  if (!messages.some(hasFiles)) return messages
  let moved: ContentPart[] = []
  return messages.flatMap((message, index) => {
    let result = message
    if (hasFiles(message)) {
      moved.push(...filesOf(message))
      result = withoutFiles(message)
    }
    if (moved.length === 0 || messages[index + 1]?.role === 'tool') return [result]
    const content = moved
    moved = []
    return [result, { role: 'user', content }]
  })
}

interface ResultInParts extends ChatMessage {
  readonly content: readonly ContentPart[]
}

const isText = ({ type }: ContentPart): boolean => type === 'text'

const hasFiles = (message: ChatMessage): message is ResultInParts =>
  message.role === 'tool' && Array.isArray(message.content) && !message.content.every(isText)

const ONLY_FILES = 'The result is in the next message of the user.'

function withoutFiles(message: ResultInParts): ChatMessage {
  const [first, ...others] = message.content.filter(isText)
  const content = first && others.length > 0 ? [first, ...others] : (first?.text ?? ONLY_FILES)
  return { ...message, content }
}

const filesOf = ({ content, tool_call_id: id }: ResultInParts): readonly ContentPart[] => [
  { type: 'text', text: `Result of the tool call ${String(id)}:` },
  ...content.filter((part) => !isText(part)),
]
