import type { Usage } from '../domain/completion.ts'
import { countsOf } from '../domain/usage.ts'
import { type Fields, isObject, isSet, readExtraFields } from '../lib/untrusted-json.ts'

const USAGE_FIELDS = ['prompt_tokens', 'completion_tokens', 'total_tokens']

/** The usage of a response: its own, in `x_groq` (Groq), or in a choice (Moonshot). */
export function usageIn({ usage, x_groq: groq, choices }: Fields): unknown {
  if (isSet(usage)) return usage
  if (isObject(groq) && isSet(groq.usage)) return groq.usage
  return Array.isArray(choices) ? choices.find((choice: Fields) => isSet(choice.usage))?.usage : undefined
}

/** Returns undefined if a count is not valid (`countsOf`). Other fields of the provider are kept. */
export function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined
  const counts = countsOf(value, value.prompt_tokens, value.completion_tokens)
  const extras = readExtraFields(value, USAGE_FIELDS)
  return counts && extras && { ...counts, ...extras }
}
