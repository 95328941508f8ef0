import { type ChatMessage, collectTexts, readContent } from './message.ts'
import type { UnreadKind } from './unread.ts'
import { VOCABULARY } from './vocabulary.ts'

const CHARACTERS_PER_TOKEN = 4
const TOKENS_PER_MESSAGE = 4

interface Read {
  readonly messages: readonly ChatMessage[]
  readonly parameters: Readonly<Record<string, unknown>>
}

/** Like estimateTokens, but for a whole request: tools and schemas count as JSON text. `texts` are those of the messages, if they are known. */
export const estimateRequestTokens = ({ messages, parameters }: Read, texts = collectTexts(messages)): number =>
  Object.entries(parameters).reduce<number>(
    (sum, parameter) => sum + Math.ceil(parameterText(parameter).length / CHARACTERS_PER_TOKEN),
    estimateTokens(texts),
  )

const parameterText = ([name, value]: readonly [string, unknown]): string =>
  (VOCABULARY.has(name) ? '' : name) +
  (typeof value === 'string' || (typeof value === 'object' && value !== null) ? JSON.stringify(value) : '')

/** An estimate without a tokenizer: four characters a token, and a few tokens for each message. */
export const estimateTokens = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Math.ceil(text.length / CHARACTERS_PER_TOKEN) + TOKENS_PER_MESSAGE, 0)

/** Texts that people write have at least two bytes for each token: Chinese and emoji have two to three, English has four to five. */
const LEAST_BYTES_PER_TOKEN = 2
/** The largest picture at its highest resolution, for nearly all models. */
const MOST_TOKENS_PER_PICTURE = 6_000

/**
 * The most tokens of a request, for reservations. The bytes of a file count as text, up to `fileTokens`; a file that the provider fetches
 * counts as `fileTokens`. `added`: texts before the messages.
 */
export function mostRequestTokens({ messages, parameters }: Read, added: readonly string[], fileTokens: number): number {
  let [bytes, tokens] = [0, 0]
  const text = (read: string): void => {
    bytes += Buffer.byteLength(read)
    tokens += TOKENS_PER_MESSAGE
  }
  readContent(messages, {
    text,
    unread: (kind, size) => {
      if (kind === 'image') tokens += MOST_TOKENS_PER_PICTURE
      else tokens += Math.min(Math.ceil(size / LEAST_BYTES_PER_TOKEN), fileTokens)
    },
    linked: (kind: UnreadKind) => {
      tokens += kind === 'image' ? MOST_TOKENS_PER_PICTURE : fileTokens
    },
  })
  for (const one of added) if (one !== '') text(one)
  for (const parameter of Object.entries(parameters)) bytes += Buffer.byteLength(parameterText(parameter))
  return tokens + Math.ceil(bytes / LEAST_BYTES_PER_TOKEN)
}
