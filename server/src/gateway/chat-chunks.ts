import type { Choice, Completion } from '../domain/completion.ts'

/** About 24 characters, to the end of the word; only words of over 32 letters are cut (GW-SSE-3). */
const PIECE = /[\s\S]{1,18}\S{0,32}/gu

export interface ReplayOptions {
  readonly includeUsage: boolean
  /** The governance block, as JSON text; rides on the first and on each finish chunk. */
  readonly governance: string
}

/**
 * A validated completion as the chunks of a chat stream: role chunk, what the model thought, content deltas, whatever else the
 * message holds, a finish chunk for each choice, then the usage chunk if asked for, then `[DONE]`. Joined, the deltas are the
 * content to the byte. The provider's own fields stand where clients look for them: those around the answer on the first chunk
 * (`system_fingerprint` and `service_tier` on each), those around a choice on its finish chunk.
 */
export function* chatChunks(completion: Completion, { includeUsage, governance }: ReplayOptions): Generator<string> {
  const { id, object: _, created, model, choices, usage, system_fingerprint, service_tier, ...others } = completion
  const common = { id, object: 'chat.completion.chunk', created, model, system_fingerprint, service_tier }
  const head = `data: ${JSON.stringify(common).slice(0, -1)},"choices":`
  const chunk = (index: number, delta: string, finish: string, rest = '') =>
    `${head}[{"index":${index},"delta":${delta},${finish}"finish_reason":null}]${rest}}\n\n`
  const governed = `,"governance":${governance}`
  let around = membersOf(others)

  for (const choice of choices) {
    yield chunk(choice.index, '{"role":"assistant","content":""}', logprobsOf(choice), `${around}${governed}`)
    around = ''
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

const NO_USAGE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }

const logprobsOf = ({ logprobs }: Choice): string => (logprobs ? `"logprobs":${JSON.stringify(logprobs)},` : '')

/** The deltas of one choice as JSON texts: what the model thought, words of the content, then whatever else the message holds. */
function* deltas({ message }: Choice): Generator<string> {
  const { role: _, content, tool_calls: toolCalls, reasoning_content, reasoning, reasoning_details, ...others } = message
  const thought = JSON.stringify({ reasoning_content, reasoning, reasoning_details })
  if (thought !== '{}') yield thought
  if (typeof content === 'string') {
    for (const piece of pieces(content)) yield `{"content":${JSON.stringify(piece)}}`
  }
  if (Array.isArray(toolCalls)) {
    yield JSON.stringify({ tool_calls: toolCalls.map((call: object, index) => ({ ...call, index })) })
  }
  if (Object.keys(others).length > 0) yield JSON.stringify(others)
}

const pieces = (content: string): readonly string[] => content.match(PIECE) ?? []
