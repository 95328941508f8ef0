import type { Choice, Completion } from '../domain/completion.ts'

/** About 24 characters, to the end of the word; only words of over 32 letters are cut (decisions.md §2.3, SSE). */
const PIECE = /[\s\S]{1,18}\S{0,32}/gu

export interface ReplayOptions {
  readonly includeUsage: boolean
  /** The governance block, as JSON text; rides on the first and on each finish chunk. */
  readonly governance: string
}

/**
 * A validated completion as the chunks of a chat stream: role chunk, content deltas, finish chunk for each choice, then the
 * usage chunk if asked for, then `[DONE]`. Joined, the deltas are the content to the byte.
 */
export function* chatChunks(completion: Completion, { includeUsage, governance }: ReplayOptions): Generator<string> {
  const { id, created, model } = completion
  const head = `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created, model }).slice(0, -1)},"choices":`
  const chunk = (index: number, delta: string, finish: string, rest = '') =>
    `${head}[{"index":${index},"delta":${delta},${finish}"finish_reason":null}]${rest}}\n\n`
  const governed = `,"governance":${governance}`

  for (const choice of completion.choices) {
    yield chunk(choice.index, '{"role":"assistant","content":""}', logprobsOf(choice), governed)
    for (const delta of deltas(choice)) yield chunk(choice.index, delta, '')
  }
  for (const { index, finish_reason } of completion.choices) {
    yield `${head}[{"index":${index},"delta":{},"finish_reason":${JSON.stringify(finish_reason)}}]${governed}}\n\n`
  }
  if (includeUsage) yield `${head}[],"usage":${JSON.stringify(completion.usage ?? NO_USAGE)}}\n\n`
  yield 'data: [DONE]\n\n'
}

const NO_USAGE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }

const logprobsOf = ({ logprobs }: Choice): string => (logprobs ? `"logprobs":${JSON.stringify(logprobs)},` : '')

/** The deltas of one choice as JSON texts: words of the content, then whatever else the message holds. */
function* deltas({ message }: Choice): Generator<string> {
  const { role: _, content, tool_calls: toolCalls, ...others } = message
  if (typeof content === 'string') {
    for (const piece of pieces(content)) yield `{"content":${JSON.stringify(piece)}}`
  }
  if (Array.isArray(toolCalls)) {
    yield JSON.stringify({ tool_calls: toolCalls.map((call: object, index) => ({ index, ...call })) })
  }
  if (Object.keys(others).length > 0) yield JSON.stringify(others)
}

const pieces = (content: string): readonly string[] => content.match(PIECE) ?? []
