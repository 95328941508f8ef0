import { type Fields, parseJsonObject } from '../../../src/platform/lib/untrusted-json.ts'
import type { ForeignRepository } from './foreign-repository.ts'
import type { Client } from './read-answer.ts'

/** An answer of a real provider, recorded by the AI SDK. */
export interface Recording {
  /** Package and file. */
  readonly name: string
  readonly client: Client
  readonly isStream: boolean
  /** The answer as the provider sends it: JSON, or server-sent events. */
  readonly text: string
  /** The parts of the answer for which the gateway refuses it; empty: it is read. */
  readonly refused: readonly string[]
}

const FILES =
  /^packages\/((?:alibaba|anthropic|azure|deepseek|groq|mistral|moonshotai|openai|openai-compatible|open-responses|perplexity|xai)\/src\/(?:\w+\/)?__fixtures__\/.*)\.(json|chunks\.txt)$/

/** Blocks and items that the gateway governs. All others belong to tools of the provider, or to state that no detector can read. */
const GOVERNED: ReadonlySet<unknown> = new Set([
  ...['text', 'thinking', 'redacted_thinking', 'tool_use'],
  ...['message', 'reasoning', 'function_call', 'custom_tool_call'],
])

/** All recorded answers of the APIs that providers can have. Recordings of other APIs, and of errors instead of an answer, are left out. */
export function recordingsOf(repository: ForeignRepository): readonly Recording[] {
  return repository.list().flatMap((path) => {
    const [, name = '', ending] = FILES.exec(path) ?? []
    if (ending === undefined) return []
    const content = repository.read(path)
    const isStream = ending !== 'json'
    const recording = isStream ? fromLines(content.trim().split('\n')) : fromJson(content)
    if (!recording) return []
    const isCompatible = recording.client === 'openai' && !name.startsWith('openai/')
    const client = isCompatible ? 'compatible' : recording.client
    return [{ ...recording, client, isStream, name: name.replaceAll(/src\/|__fixtures__\//g, '') }]
  })
}

type Draft = Pick<Recording, 'client' | 'text' | 'refused'>

function fromJson(text: string): Draft | undefined {
  const body = JSON.parse(text) as Fields
  const client = clientOf(body)
  return client && { client, text, refused: refusedParts([body]) }
}

/** One event in each line. Some files have the streams of several turns: the first is read. */
function fromLines(lines: readonly string[]): Draft | undefined {
  // One file has lines that are not JSON.
  const all = lines.map((line) => parseJsonObject(Buffer.from(line)) ?? {})
  const last = all.findIndex(({ type }) => /^(?:response\.(?:completed|incomplete|failed)|message_stop)$/.test(String(type)))
  const events = last < 0 ? all : all.slice(0, last + 1)
  const bodies = events.map(({ message, response, content_block: block, ...event }) =>
    block === undefined ? ((message ?? response ?? event) as Fields) : { content: [block] },
  )
  const client = clientOf(bodies[0] ?? {})
  if (!client) return undefined
  const ids = new Set(events.flatMap(({ message }) => (message as Fields | undefined)?.id ?? []))
  const refused = [...refusedParts(bodies), ...(ids.size > 1 ? ['a second message'] : [])]
  const done = client === 'openai' ? 'data: [DONE]\n\n' : ''
  return { client, text: `${lines.slice(0, events.length).map(toEvent).join('')}${done}`, refused }
}

const toEvent = (line: string): string => `data: ${line}\n\n`

/** A client of the chat API cannot read content that is a list, so it has no client here. */
function clientOf({ type, object, choices }: Fields): Client | undefined {
  if (type === 'message') return 'anthropic'
  if (object === 'response') return 'responses'
  const isChat = Array.isArray(choices) && choices.every(({ message, delta }) => isReadable(message ?? delta))
  return isChat ? 'openai' : undefined
}
const isReadable = (message: Fields | undefined): boolean =>
  message !== undefined && (typeof message.content === 'string' || message.content == null)

const refusedParts = (bodies: readonly Fields[]): readonly string[] => [...new Set(bodies.flatMap(refusedPartsOf))]

function refusedPartsOf({ content, output, container, error }: Fields): readonly string[] {
  const parts = [content, output].flatMap((list) => (Array.isArray(list) ? (list as Fields[]) : []))
  return [
    ...parts.flatMap(({ type, execution }) => (GOVERNED.has(type) || execution === 'client' ? [] : [String(type)])),
    ...parts.flatMap(({ caller }) => (caller == null || (caller as Fields).type === 'direct' ? [] : ['a call by a program'])),
    ...(container == null ? [] : ['container']),
    ...(error == null ? [] : ['error']),
  ]
}
