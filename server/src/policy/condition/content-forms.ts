import { toPlainString, withoutAccents } from '../../lib/plain-text.ts'
import type { PolicyInput } from '../input.ts'

/** The variable whose tests look at all forms of the content. */
export const CONTENT = 'content.text'

/**
 * Whether a rule matches because a part of its condition is true, or because it is not. The first kind looks at the content in all
 * its forms; the second at the text as written, or a rule that demands a form (`!content.text.matches(…)`) would demand less.
 */
export type Polarity = 'restricts' | 'relaxes'

export const opposite = (polarity: Polarity): Polarity => (polarity === 'restricts' ? 'relaxes' : 'restricts')

type PolicyContent = PolicyInput['content']

/** The forms in which a test on `content.text` looks at the content. */
export interface Forms {
  /** As written: the texts one after the other, and those joined that a reader may take for one. */
  readonly written: readonly string[]
  /** In plain form (lib/plain-text.ts), with accents and without. */
  readonly plain: readonly string[]
  /** All of them, each once. */
  readonly all: readonly string[]
}

const known = new WeakMap<PolicyContent, Forms>()

/** Worked out once for each content. */
export function formsOf(content: PolicyContent): Forms {
  const found = known.get(content)
  if (found) return found
  const { text, joined } = content
  const written = joined ? [text, joined] : [text]
  const forms = isPlain(written) ? { written, plain: written, all: written } : plainForms(written)
  known.set(content, forms)
  return forms
}

/** Most texts are their own plain form without accents; sets of forms would hash them three times. */
const isPlain = (written: readonly string[]): boolean =>
  written.length === 1 && written.every((text) => toPlainString(text) === text && withoutAccents(text) === text)

function plainForms(written: readonly string[]): Forms {
  const plain = new Set(written.map((text) => toPlainString(text)).flatMap((text) => [text, withoutAccents(text)]))
  return { written, plain: [...plain], all: [...new Set([...written, ...plain])] }
}

/** Characters that the plain form does not have: who writes them into a condition looks for exactly these. */
const NOT_READ = /\p{DI}|(?![\t\n\r])\p{Cc}/u

/** The plain form of a text that a condition looks for; undefined: it is looked for as written only. */
export function plainPart(part: string): string | undefined {
  if (NOT_READ.test(part)) return undefined
  return toPlainString(part)
}

/** Whether `test` holds of the content in any form. */
export function anyForm(
  { written, plain }: Forms,
  { part, plainPart }: { readonly part: string; readonly plainPart: string | undefined },
  test: (text: string, part: string) => boolean,
): boolean {
  for (const text of written) if (test(text, part)) return true
  if (plainPart === undefined) return false
  for (const text of plain) if ((plainPart !== part || !written.includes(text)) && test(text, plainPart)) return true
  return false
}
