import type { Fields } from '../../platform/lib/untrusted-json.ts'
import type { ChatMessage, ContentPart } from '../../shared/message.ts'
import { CARRIED_FIELDS, NAMESPACED_NAMES } from '../../shared/original-request.ts'
import { withAddedTexts } from '../added-texts.ts'
import { mergeChanges } from '../merge-changes.ts'
import type { UpstreamRequest } from '../upstream-dialect.ts'

/** A body of this API is edited in place: the order of its fields, its null values and its numbers stay as the client wrote them. */
export function chatBody({ model, messages, parameters, added, original }: UpstreamRequest): Fields {
  const source = original?.dialect === 'openai-chat' ? original : undefined
  const sent = source ? editMessages(messages, source.messages, source.body.messages as readonly Fields[]) : messages
  const complete = added ? withAddedTexts(sent as UpstreamRequest['messages'], added) : sent
  return {
    ...(source && editFields(parameters, source.parameters, source.body)),
    ...(!source && parameters),
    ...LEFT_OUT,
    model,
    // A client of this API knows what its provider reads.
    messages: source ? complete : withTextResults(complete as UpstreamRequest['messages']),
  }
}

/** Fields that the gateway carries out itself, and fields that only other dialects read. */
const LEFT_OUT = {
  stream_options: undefined,
  governance: undefined,
  reasoning_included: undefined,
  [NAMESPACED_NAMES]: undefined,
  [CARRIED_FIELDS]: undefined,
}

type Messages = readonly Fields[]

const editMessages = (messages: Messages, before: Messages, written: Messages): Messages =>
  messages === before
    ? written
    : messages.map((message, index) => mergeChanges(written[index] ?? message, before[index], message) as Fields)

/** The fields in the order of the client, then those that the gateway has added. */
const editFields = (parameters: Fields, before: Fields, written: Fields): Fields => ({
  ...(parameters === before
    ? written
    : Object.fromEntries(
        Object.entries(written).map(([name, value]) => [name, mergeChanges(value, before[name], parameters[name])]),
      )),
  ...Object.fromEntries(Object.entries(parameters).filter(([name]) => !Object.hasOwn(written, name))),
})

/** The API takes only texts as results. Their files stand in a message of the user, behind all results of the same calls. */
function withTextResults(messages: readonly ChatMessage[]): readonly ChatMessage[] {
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
