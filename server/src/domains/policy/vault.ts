/** `<EMAIL_1>`, also in the forms that models and Markdown write: `&lt;EMAIL_1&gt;`, `<EMAIL\_1>`. */
const PLACEHOLDER = /(?:<|&lt;)([A-Z]{1,20}(?:\\?_[A-Z]{1,20}){0,3}\\?_\d{1,9})(?:>|&gt;)/g

/** The beginning of a placeholder at the end of a text. */
const BEGINNING = /(?:<|&(?:l?t?;)?|&lt?)(?:[A-Z][A-Z_\\\d]{0,105})?(?:&g?t?)?$/

/**
 * The originals of the placeholders in one request. Equal originals have the same placeholder in all texts of the request.
 * @NOTE `toJSON` returns content: never log a vault, and encrypt it before storing it.
 */
export class Vault {
  readonly #originals = new Map<string, string>()
  readonly #placeholders = new Map<string, string>()
  /** Placeholders that the original texts already contained. */
  readonly #reserved = new Set<string>()
  readonly #counters = new Map<string, number>()

  get size(): number {
    return this.#originals.size
  }

  /** Excludes the placeholders that `text` already contains. Call it for all texts before `placeholderFor`. */
  reserve(text: string): void {
    for (const [, name = ''] of text.matchAll(PLACEHOLDER)) {
      const placeholder = toPlaceholder(name)
      if (!this.#originals.has(placeholder)) this.#reserved.add(placeholder)
    }
  }

  placeholderFor(label: string, original: string): string {
    const key = `${label} ${original}`
    const known = this.#placeholders.get(key)
    if (known !== undefined) return known
    const placeholder = this.#nextPlaceholder(label)
    this.#add(key, placeholder, original)
    return placeholder
  }

  /** Replaces placeholders by their originals, in one pass: an original is never read as a placeholder. */
  restore(text: string): string {
    if (this.#originals.size === 0) return text
    return text.replaceAll(PLACEHOLDER, (match, name: string) => this.#originals.get(toPlaceholder(name)) ?? match)
  }

  /** The text without a placeholder at its end that is not complete. */
  settled(text: string): string {
    return this.#originals.size === 0 ? text : text.replace(BEGINNING, '')
  }

  /** Replaces originals by their placeholders. The longest original is first, because one can be a part of another. */
  conceal(text: string): string {
    const longestFirst = [...this.#originals].sort(([, a], [, b]) => b.length - a.length)
    return longestFirst.reduce((hidden, [placeholder, original]) => hidden.replaceAll(original, () => placeholder), text)
  }

  toJSON(): { readonly originals: readonly (readonly [placeholder: string, original: string])[] } {
    return { originals: [...this.#originals] }
  }

  /** Throws a TypeError if `value` does not come from `toJSON`. */
  static fromJSON(value: unknown): Vault {
    const vault = new Vault()
    const originals = (value as { readonly originals?: unknown } | null)?.originals
    if (!Array.isArray(originals)) throw new TypeError('not a vault')
    for (const entry of originals) {
      const [placeholder, original] = Array.isArray(entry) ? entry : []
      const label = typeof placeholder === 'string' ? /^<([A-Z_]+)_\d+>$/.exec(placeholder)?.[1] : undefined
      if (label === undefined || typeof original !== 'string') throw new TypeError('not a vault')
      vault.#add(`${label} ${original}`, placeholder, original)
    }
    return vault
  }

  #add(key: string, placeholder: string, original: string): void {
    this.#placeholders.set(key, placeholder)
    this.#originals.set(placeholder, original)
  }

  #nextPlaceholder(label: string): string {
    let number = this.#counters.get(label) ?? 0
    let placeholder: string
    do placeholder = `<${label}_${++number}>`
    while (this.#reserved.has(placeholder) || this.#originals.has(placeholder))
    this.#counters.set(label, number)
    return placeholder
  }
}

const toPlaceholder = (name: string): string => `<${name.replaceAll('\\', '')}>`
