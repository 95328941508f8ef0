import { withoutLookAlikes } from '../../../platform/lib/look-alikes.ts'
import { isAscii, toPlainString, withoutAccents } from '../../../platform/lib/plain-text.ts'
import type { PolicyInput } from '../input.ts'

export const CONTENT_TEXT = 'content.text'

/**
 * Whether a rule matches because an operand is true (`restricts`) or because it is false (`relaxes`). The first kind reads all forms
 * of the content, the second only the text as written: `!content.text.matches(…)` would otherwise match less often (decision 0005).
 */
export type Polarity = 'restricts' | 'relaxes'

export const oppositePolarity = (polarity: Polarity): Polarity => (polarity === 'restricts' ? 'relaxes' : 'restricts')

/** `forms`: set by the first test on `text`. A weak map took 45 µs for 40 rules. */
type PolicyContent = PolicyInput['content'] & { forms?: ContentForms }

/** The forms of the content that a test on `content.text` reads. A class, because an object with a getter takes microseconds to create. */
export class ContentForms {
  readonly content: PolicyContent
  readonly written: readonly string[]
  /** The plain form (platform/lib/plain-text.ts), also without accents, and with Latin letters in place of look-alikes in mixed words. */
  readonly plain: readonly string[]
  readonly all: readonly string[]
  #unwrapped: readonly string[] | undefined

  constructor(content: PolicyContent) {
    this.content = content
    const { text, joined, hasLines = true } = content
    this.written = joined ? [text, joined] : [text]
    this.plain = isPlain(this.written) ? this.written : [...new Set(this.written.flatMap(plainFormsOf))]
    this.all = this.plain === this.written ? this.written : [...new Set([...this.written, ...this.plain])]
    if (!hasLines) this.#unwrapped = NONE
  }

  /** Plain forms of texts with line ends, with spaces in their place: a phrase can continue on the next line. Computed when first read. */
  get unwrapped(): readonly string[] {
    this.#unwrapped ??= unwrap(this.all)
    return this.#unwrapped
  }
}

const NONE: readonly string[] = []

/** A copy of a content may hold the forms of the original, which do not count: its text may differ. */
export function getForms(content: PolicyContent): ContentForms {
  const forms = content.forms?.content === content ? content.forms : new ContentForms(content)
  content.forms = forms
  return forms
}

/** Most texts equal their plain forms. They skip the sets of forms, which would hash each text several times. */
const isPlain = (written: readonly string[]): boolean =>
  written.length === 1 && written.every((text) => plainFormsOf(text).every((form) => form === text))

function plainFormsOf(written: string): readonly string[] {
  const plain = toPlainString(written)
  // ASCII has neither accents nor look-alikes.
  return isAscii(plain) ? [plain] : [plain, withoutAccents(plain), withoutLookAlikes(plain)]
}

/** Spaces and one line end between words. An empty line ends a paragraph and stays. */
const WRAP = /(?<=\S)(?:[ \t]{2,}|[ \t]*\r?\n[ \t]*)(?=\S)/g
const HAS_WRAP = /\n|[ \t]{2}/

export const hasWraps = (text: string): boolean => HAS_WRAP.test(text)

const unwrap = (texts: readonly string[]): readonly string[] =>
  texts.flatMap((text) => (hasWraps(text) ? [text.replace(WRAP, ' ')] : []))

const canContinue = (part: string): boolean => part.includes(' ')

/** Invisible and control characters, which the plain form does not contain. */
const NOT_PLAIN = /\p{DI}|(?![\t\n\r])\p{Cc}/u

/** The plain form of a text in a condition; undefined: it contains invisible characters, so it is searched only as written. */
export const toPlainPart = (part: string): string | undefined => (NOT_PLAIN.test(part) ? undefined : toPlainString(part))

export function matchesAnyForm(
  forms: ContentForms,
  { part, plainPart }: { readonly part: string; readonly plainPart: string | undefined },
  test: (text: string, part: string) => boolean,
): boolean {
  const { written, plain } = forms
  for (const text of written) if (test(text, part)) return true
  if (canContinue(part) && forms.unwrapped.some((text) => test(text, part))) return true
  if (plainPart === undefined) return false
  for (const text of plain) if ((plainPart !== part || !written.includes(text)) && test(text, plainPart)) return true
  return plainPart !== part && canContinue(plainPart) && forms.unwrapped.some((text) => test(text, plainPart))
}
