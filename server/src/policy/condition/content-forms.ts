import { toPlainString, withoutAccents } from '../../lib/plain-text.ts'
import type { PolicyInput } from '../input.ts'

/** The variable whose tests read all forms of the content. */
export const CONTENT_TEXT = 'content.text'

/**
 * Whether a rule matches because an operand is true (`restricts`) or because it is false (`relaxes`). The first kind reads all forms
 * of the content, the second only the text as written: `!content.text.matches(…)` would otherwise match less often (decision 0005).
 */
export type Polarity = 'restricts' | 'relaxes'

export const oppositePolarity = (polarity: Polarity): Polarity => (polarity === 'restricts' ? 'relaxes' : 'restricts')

type PolicyContent = PolicyInput['content']

/** The forms of the content that a test on `content.text` reads. */
export interface ContentForms {
  /** As written: the text, and the joined texts. */
  readonly written: readonly string[]
  /** The plain form (lib/plain-text.ts), with and without accents. */
  readonly plain: readonly string[]
  /** All forms, each once. */
  readonly all: readonly string[]
}

const formsByContent = new WeakMap<PolicyContent, ContentForms>()

/** Computes the forms once for each content. */
export function getForms(content: PolicyContent): ContentForms {
  const known = formsByContent.get(content)
  if (known) return known
  const { text, joined } = content
  const written = joined ? [text, joined] : [text]
  const forms = isPlain(written) ? { written, plain: written, all: written } : addPlainForms(written)
  formsByContent.set(content, forms)
  return forms
}

/** Most texts equal their plain form without accents. They skip the sets of forms, which would hash each text three times. */
const isPlain = (written: readonly string[]): boolean =>
  written.length === 1 && written.every((text) => toPlainString(text) === text && withoutAccents(text) === text)

function addPlainForms(written: readonly string[]): ContentForms {
  const plain = new Set(written.map((text) => toPlainString(text)).flatMap((text) => [text, withoutAccents(text)]))
  return { written, plain: [...plain], all: [...new Set([...written, ...plain])] }
}

/** Invisible and control characters, which the plain form does not contain. */
const NOT_PLAIN = /\p{DI}|(?![\t\n\r])\p{Cc}/u

/** The plain form of a text in a condition; undefined: it contains invisible characters, so it is searched only as written. */
export const toPlainPart = (part: string): string | undefined => (NOT_PLAIN.test(part) ? undefined : toPlainString(part))

/** Whether `test` is true for any form of the content. */
export function matchesAnyForm(
  { written, plain }: ContentForms,
  { part, plainPart }: { readonly part: string; readonly plainPart: string | undefined },
  test: (text: string, part: string) => boolean,
): boolean {
  for (const text of written) if (test(text, part)) return true
  if (plainPart === undefined) return false
  for (const text of plain) if ((plainPart !== part || !written.includes(text)) && test(text, plainPart)) return true
  return false
}
