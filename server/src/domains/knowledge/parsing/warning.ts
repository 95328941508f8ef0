/** Kinds of content that a reader of the file sees and the document may lack, and what people read about them. */
export const WARNINGS = {
  page_without_text: 'A page without text. It may be a picture: recognise its text (OCR) and upload the result.',
  recognised: 'The text was recognised in a picture (OCR), and may have mistakes.',
  picture: 'A picture whose text was not read.',
  form: 'A part of a form that was not read.',
  comment: 'A comment that was not read.',
  text_box: 'A text box that was not read.',
  equation: 'An equation that was not read as it is written.',
  charset: 'The text was decoded by a guess. Save the file as UTF-8 if letters are wrong.',
  font_without_map: 'Text in a font that does not say which letters it shows.',
  hidden_text: 'Text that is hidden from readers was left out.',
  navigation: 'Navigation or a page footer was left out.',
  attachment: 'An attachment that was not read.',
  ignored_part: 'A part that was not read.',
} as const

export type WarningKind = keyof typeof WARNINGS

export const WARNING_KINDS = Object.keys(WARNINGS) as readonly WarningKind[]

/** Content that was not read, was read by a guess, or was left out because readers do not see it. */
export interface Warning {
  readonly kind: WarningKind
  /** In the words of the file's program: `page 3`, `sheet Prices`, `slide 2`, `header`. Undefined: the whole file. */
  readonly place?: string
  /** At least 1. */
  readonly count: number
  /** The name of the charset, of the attachment or of the part. */
  readonly detail?: string
}

/** Collects the warnings of a file. Equal ones are counted. */
export class Warnings {
  readonly #counted = new Map<string, Warning>()

  add(kind: WarningKind, { place, detail, count = 1 }: Partial<Omit<Warning, 'kind'>> = {}): void {
    if (count === 0) return
    const key = JSON.stringify([kind, place, detail])
    const before = this.#counted.get(key)?.count ?? 0
    this.#counted.set(key, { kind, count: before + count, ...(place && { place }), ...(detail && { detail }) })
  }

  all(): readonly Warning[] {
    return [...this.#counted.values()].slice(0, MAX_WARNINGS)
  }
}

/** Per file. A file with more has a kind of content that its readers know about after these. */
const MAX_WARNINGS = 200
