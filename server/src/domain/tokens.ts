import { type ChatMessage, collectTexts } from './message.ts'

const CHARACTERS_PER_TOKEN = 4
const TOKENS_PER_MESSAGE = 4

/** The parts of a request that a provider reads. */
interface Read {
  readonly messages: readonly ChatMessage[]
  readonly parameters: Readonly<Record<string, unknown>>
}

/** As estimateTokens, for a whole request: tools and schemas count as JSON text. */
export const estimateRequestTokens = ({ messages, parameters }: Read): number =>
  Object.values(parameters).reduce<number>(
    (sum, value) =>
      typeof value === 'string' || (typeof value === 'object' && value !== null)
        ? sum + Math.ceil(JSON.stringify(value).length / CHARACTERS_PER_TOKEN)
        : sum,
    estimateTokens(collectTexts(messages)),
  )

/** An estimate without a tokenizer: four characters a token, and a few tokens for each message. */
export const estimateTokens = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Math.ceil(text.length / CHARACTERS_PER_TOKEN) + TOKENS_PER_MESSAGE, 0)
