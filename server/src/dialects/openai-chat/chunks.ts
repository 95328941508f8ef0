import type { Choice, Completion, CompletionHead } from '../../shared/completion.ts'
import { NO_USAGE } from '../../shared/usage.ts'
import type { GrowingEncoder } from '../client-dialect.ts'
import { pieces } from '../pieces.ts'

export interface ReplayOptions {
  readonly includeUsage: boolean
  /** JSON text, sent with the first chunk and each finish chunk. */
  readonly governance: string
  /** Characters of the content that were sent before, with the first chunk. Default: none. */
  readonly sent?: number
}

/**
 * The chunks of a completion as a chat stream: role, reasoning, content and other fields of the message, a finish chunk for each
 * choice, the usage chunk if requested, then `[DONE]`. The joined content deltas equal the content. Other fields of the provider are
 * in the first chunk (`system_fingerprint` and `service_tier` in each), those of a choice in its finish chunk. All log probabilities of a
 * choice are in the chunk of its first content, because some clients count those of its first chunk twice, and others keep only the last ones.
 */
export function* chatChunks(completion: Completion, { includeUsage, governance, sent }: ReplayOptions): Generator<string> {
  const { id, object: _, created, model, choices, usage, system_fingerprint, service_tier, ...others } = completion
  const common = { id, object: 'chat.completion.chunk', created, model, system_fingerprint, service_tier }
  const head = `data: ${JSON.stringify(common).slice(0, -1)},"choices":`
  const chunk = (index: number, delta: string, finish: string, rest = '') =>
    `${head}[{"index":${index},"delta":${delta},${finish}"finish_reason":null}]${rest}}\n\n`
  const governed = `,"governance":${governance}`
  let otherFields = membersOf(others)

  for (const choice of choices) {
    yield chunk(choice.index, sent === undefined ? firstDelta(choice) : '{}', '', `${otherFields}${governed}`)
    otherFields = ''
    let logprobs = logprobsOf(choice)
    for (const delta of deltas(choice, sent)) {
      const hasLogprobs = logprobs !== '' && delta.startsWith(CONTENT)
      yield chunk(choice.index, delta, hasLogprobs ? logprobs : '')
      if (hasLogprobs) logprobs = ''
    }
    if (logprobs !== '') yield chunk(choice.index, '{}', logprobs)
  }
  for (const { index, finish_reason, message: _message, logprobs: _logprobs, ...own } of choices) {
    const finish = `"index":${index},"delta":{},"finish_reason":${JSON.stringify(finish_reason)}`
    yield `${head}[{${finish}${membersOf(own)}}]${governed}}\n\n`
  }
  if (includeUsage) yield `${head}[],"usage":${JSON.stringify(usage ?? NO_USAGE)}}\n\n`
  yield 'data: [DONE]\n\n'
}

const membersOf = (fields: object): string => (Object.keys(fields).length === 0 ? '' : `,${JSON.stringify(fields).slice(1, -1)}`)

const logprobsOf = ({ logprobs }: Choice): string => (logprobs ? `"logprobs":${JSON.stringify(logprobs)},` : '')

/** A content that the message does not have must not become an empty text in the client. */
const firstDelta = ({ message }: Choice): string =>
  typeof message.content === 'string' ? '{"role":"assistant","content":""}' : '{"role":"assistant","content":null}'

const CONTENT = '{"content":'

/** The deltas of a choice as JSON texts: reasoning, parts of the content, tool calls, then other fields of the message. */
function* deltas({ message }: Choice, sent = 0): Generator<string> {
  const { role: _, content, tool_calls: toolCalls, reasoning_content, reasoning, reasoning_details, ...others } = message
  const reasoningJson = JSON.stringify({ reasoning_content, reasoning, reasoning_details })
  if (reasoningJson !== '{}') yield reasoningJson
  if (typeof content === 'string') {
    for (const piece of pieces(content.slice(sent))) yield `${CONTENT}${JSON.stringify(piece)}}`
  }
  if (Array.isArray(toolCalls)) {
    yield JSON.stringify({ tool_calls: toolCalls.map((call: object, index) => ({ ...call, index })) })
  }
  if (Object.keys(others).length > 0) yield JSON.stringify(others)
}

export function growingChunks(head: CompletionHead, { includeUsage, governance }: ReplayOptions): GrowingEncoder {
  const { id, created, model } = head
  const common = JSON.stringify({ id, object: 'chat.completion.chunk', created, model }).slice(0, -1)
  const chunk = (delta: object, rest = '') =>
    `data: ${common},"choices":[{"index":0,"delta":${JSON.stringify(delta)},"finish_reason":null}]${rest}}\n\n`
  let sent = 0
  return {
    text(piece) {
      const start = sent === 0 ? chunk({ role: 'assistant', content: '' }, `,"governance":${governance}`) : ''
      sent += piece.length
      return start + Array.from(pieces(piece), (content) => chunk({ content })).join('')
    },
    rest: (completion, final) => chatChunks(completion, { includeUsage, governance: JSON.stringify(final), sent }),
    fail: (envelope) => `data: ${JSON.stringify(envelope)}\n\n`,
  }
}
