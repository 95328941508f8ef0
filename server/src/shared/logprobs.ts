import type { Choice, Completion } from './completion.ts'

interface TokenProbability {
  readonly token: string
  readonly logprob: number
  readonly top_logprobs?: unknown
}

/** Sends token probabilities only of exactly the inspected text. Alternative tokens are omitted where output rules exist. */
export function withInspectedLogprobs(completion: Completion, unchanged: boolean, outputRules: boolean): Completion {
  if (completion.choices.every(({ logprobs }) => logprobs == null)) return completion
  const choices = completion.choices.map((choice): Choice => {
    if (choice.logprobs == null) return choice
    const { content, refusal } = choice.logprobs as Readonly<Record<string, unknown>>
    const inspected = (tokens: unknown, text: unknown) =>
      unchanged && isTokensOf(tokens, text) ? tokens.map((token) => rebuilt(token, outputRules)) : null
    const lists = { content: inspected(content, choice.message.content), refusal: inspected(refusal, choice.message.refusal) }
    return { ...choice, logprobs: lists.content || lists.refusal ? lists : null }
  })
  return { ...completion, choices }
}

const isTokensOf = (tokens: unknown, text: unknown): tokens is readonly TokenProbability[] =>
  Array.isArray(tokens) && tokens.every(isProbability) && tokens.map(({ token }) => token).join('') === text

const isProbability = (value: unknown): value is TokenProbability => {
  const { token, logprob } = (value ?? {}) as Partial<TokenProbability>
  return typeof token === 'string' && Number.isFinite(logprob) && (logprob as number) <= 0
}

/** The API's value for a token that cannot occur. */
const IMPOSSIBLE = -9_999

const plain = ({ token, logprob }: TokenProbability) => ({
  token,
  logprob: Math.max(logprob, IMPOSSIBLE),
  bytes: [...Buffer.from(token)],
})

function rebuilt(probability: TokenProbability, outputRules: boolean) {
  const { top_logprobs: alternatives } = probability
  const shown = outputRules || !Array.isArray(alternatives) ? [] : alternatives.filter(isProbability).map(plain)
  return { ...plain(probability), top_logprobs: shown }
}
