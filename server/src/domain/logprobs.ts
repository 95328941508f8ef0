import type { Choice, Completion } from './completion.ts'

interface TokenProbability {
  readonly token: string
  readonly logprob: number
  readonly top_logprobs?: unknown
}

/**
 * Token probabilities repeat the completion where no detector scans. They are sent only if their tokens are exactly the inspected text,
 * rebuilt from token and probability alone; alternative tokens are left out where output rules exist, because they were not inspected.
 */
export function withInspectedLogprobs(completion: Completion, unchanged: boolean, outputRules: boolean): Completion {
  if (completion.choices.every(({ logprobs }) => logprobs == null)) return completion
  const choices = completion.choices.map(({ logprobs, ...choice }): Choice => {
    const tokens = unchanged ? tokensOf(logprobs) : undefined
    if (!tokens || tokens.map(({ token }) => token).join('') !== choice.message.content) return choice
    return { ...choice, logprobs: { content: tokens.map((token) => rebuilt(token, outputRules)), refusal: null } }
  })
  return { ...completion, choices }
}

function tokensOf(logprobs: unknown): TokenProbability[] | undefined {
  const content = (logprobs as { content?: unknown } | null | undefined)?.content
  return Array.isArray(content) && content.every(isProbability) ? content : undefined
}

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
