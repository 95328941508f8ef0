import { DETECTORS } from '../../src/domains/classification/detectors.ts'
import { Vault } from '../../src/domains/policy/vault.ts'
import type { Completion } from '../../src/shared/completion.ts'
import type { Shape } from './shapes.ts'

/** A function that reads texts of clients, documents or providers. */
export interface TextFunction {
  readonly run: (text: string) => unknown
  readonly shapes?: Readonly<Record<string, Shape>>
  /** Maximum length, if the function refuses longer texts or never gets them. */
  readonly most?: number
  /** Replaces the common shapes for functions that need a second for each. */
  readonly common?: Readonly<Record<string, Shape>>
}

export const LIMIT = Number.MAX_SAFE_INTEGER
export const options = { detectors: DETECTORS, budgetMs: Number.POSITIVE_INFINITY }
export const refused = <T>(work: () => T): T | undefined => {
  try {
    return work()
  } catch {
    return undefined
  }
}
export const bytes = (text: string) => Buffer.from(text)
export const vaultOf = (original: string) => {
  const vault = new Vault()
  vault.placeholderFor('EMAIL', original)
  return vault
}
/** One finding in every ten characters. */
export const findingsIn = (text: string) =>
  Array.from({ length: Math.floor(text.length / 10) }, (_, at) => ({
    type: 'pii.email' as const,
    start: at * 10,
    end: at * 10 + 4,
  }))
export const completionWith = (content: string): Completion => ({
  id: 'c',
  object: 'chat.completion',
  created: 0,
  model: 'm',
  choices: [
    {
      index: 0,
      finish_reason: 'stop',
      message: { role: 'assistant', content },
      logprobs: { content: (content.match(/.{1,3}/gs) ?? []).map((token) => ({ token, logprob: -1 })) },
    },
  ],
})
export const defaults = { model: 'm', newId: () => 'id', created: () => 0 }
