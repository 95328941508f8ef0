import type { Choice, Completion } from '../../domain/completion.ts'
import { NO_USAGE } from '../../domain/usage.ts'
import { pieces } from '../pieces.ts'

export interface ReplayOptions {
  readonly includeUsage: boolean
  /** The governance block as JSON text, sent with the first chunk and each finish chunk. */
  readonly governance: string
}

/**
 * The chunks of a completion as a chat stream: role, reasoning, content and other fields of the message, a finish chunk for each
 * choice, the usage chunk if requested, then `[DONE]`. The joined content deltas equal the content. Other fields of the provider are
 * in the first chunk (`system_fingerprint` and `service_tier` in each), those of a choice in its finish chunk.
 */
export function* chatChunks(completion: Completion, { includeUsage, governance }: ReplayOptions): Generator<string> {
  const { id, object: _, created, model, choices, usage, system_fingerprint, service_tier, ...others } = completion
  const common = { id, object: 'chat.completion.chunk', created, model, system_fingerprint, service_tier }
  const head = `data: ${JSON.stringify(common).slice(0, -1)},"choices":`
  const chunk = (index: number, delta: string, finish: string, rest = '') =>
    `${head}[{"index":${index},"delta":${delta},${finish}"finish_reason":null}]${rest}}\n\n`
  const governed = `,"governance":${governance}`
  let otherFields = membersOf(others)

  for (const choice of choices) {
    yield chunk(choice.index, '{"role":"assistant","content":""}', logprobsOf(choice), `${otherFields}${governed}`)
    otherFields = ''
    for (const delta of deltas(choice)) yield chunk(choice.index, delta, '')
  }
  for (const { index, finish_reason, message: _message, logprobs: _logprobs, ...own } of choices) {
    const finish = `"index":${index},"delta":{},"finish_reason":${JSON.stringify(finish_reason)}`
    yield `${head}[{${finish}${membersOf(own)}}]${governed}}\n\n`
  }
  if (includeUsage) yield `${head}[],"usage":${JSON.stringify(usage ?? NO_USAGE)}}\n\n`
  yield 'data: [DONE]\n\n'
}

/** Fields as JSON text that follows other members of an object. */
const membersOf = (fields: object): string => (Object.keys(fields).length === 0 ? '' : `,${JSON.stringify(fields).slice(1, -1)}`)

const logprobsOf = ({ logprobs }: Choice): string => (logprobs ? `"logprobs":${JSON.stringify(logprobs)},` : '')

/** The deltas of a choice as JSON texts: reasoning, parts of the content, tool calls, then other fields of the message. */
function* deltas({ message }: Choice): Generator<string> {
  const { role: _, content, tool_calls: toolCalls, reasoning_content, reasoning, reasoning_details, ...others } = message
  const reasoningJson = JSON.stringify({ reasoning_content, reasoning, reasoning_details })
  if (reasoningJson !== '{}') yield reasoningJson
  if (typeof content === 'string') {
    for (const piece of pieces(content)) yield `{"content":${JSON.stringify(piece)}}`
  }
  if (Array.isArray(toolCalls)) {
    yield JSON.stringify({ tool_calls: toolCalls.map((call: object, index) => ({ ...call, index })) })
  }
  if (Object.keys(others).length > 0) yield JSON.stringify(others)
}
