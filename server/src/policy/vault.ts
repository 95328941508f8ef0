/** `<EMAIL_1>`, also as models and Markdown rewrite it: `&lt;EMAIL_1&gt;`, `<EMAIL\_1>`. */
const PLACEHOLDER = /(?:<|&lt;)([A-Z]{1,20}(?:\\?_[A-Z]{1,20}){0,3}\\?_\d{1,9})(?:>|&gt;)/g

/** A vault as it is stored, encrypted, with a held request. Holds content. */
export interface VaultContent {
  /** Placeholder and original, in the order in which they were made. */
  readonly originals: readonly (readonly [placeholder: string, original: string])[]
}

/**
 * The originals behind the placeholders of one exchange. The same original has the same placeholder in all of its texts.
 * @NOTE `toJSON` gives content away: a vault belongs in no log, and in no table unsealed.
 */
export class Vault {
  readonly #originals = new Map<string, string>()
  readonly #placeholders = new Map<string, string>()
  /** Placeholders that texts brought along: taken, but not ours. */
  readonly #foreign = new Set<string>()
  readonly #counters = new Map<string, number>()

  get size(): number {
    return this.#originals.size
  }

  /** Keeps every placeholder that `text` already holds from being given to something else. Call it for all texts first. */
  reserve(text: string): void {
    for (const [, name = ''] of text.matchAll(PLACEHOLDER)) {
      const placeholder = canonical(name)
      if (!this.#originals.has(placeholder)) this.#foreign.add(placeholder)
    }
  }

  /** The placeholder of `original`; `label` says what it is, as `EMAIL`. */
  placeholderFor(label: string, original: string): string {
    const key = `${label} ${original}`
    const known = this.#placeholders.get(key)
    if (known !== undefined) return known
    const placeholder = this.#next(label)
    this.#keep(key, placeholder, original)
    return placeholder
  }

  /** Puts the originals back, in one pass: what comes out of an original is never taken for a placeholder. */
  restore(text: string): string {
    if (this.#originals.size === 0) return text
    return text.replaceAll(PLACEHOLDER, (found, name: string) => this.#originals.get(canonical(name)) ?? found)
  }

  /** The other way: originals become their placeholders again, the longest first, since one may be a part of another. */
  conceal(text: string): string {
    const longestFirst = [...this.#originals].sort(([, a], [, b]) => b.length - a.length)
    return longestFirst.reduce((hidden, [placeholder, original]) => hidden.replaceAll(original, () => placeholder), text)
  }

  toJSON(): VaultContent {
    return { originals: [...this.#originals] }
  }

  /** Throws a TypeError when `value` was not made by `toJSON`. */
  static fromJSON(value: unknown): Vault {
    const vault = new Vault()
    const originals = (value as Partial<VaultContent> | null)?.originals
    if (!Array.isArray(originals)) throw new TypeError('not a vault')
    for (const entry of originals) {
      const [placeholder, original] = Array.isArray(entry) ? entry : []
      const label = typeof placeholder === 'string' ? /^<([A-Z_]+)_\d+>$/.exec(placeholder)?.[1] : undefined
      if (label === undefined || typeof original !== 'string') throw new TypeError('not a vault')
      vault.#keep(`${label} ${original}`, placeholder, original)
    }
    return vault
  }

  #keep(key: string, placeholder: string, original: string): void {
    this.#placeholders.set(key, placeholder)
    this.#originals.set(placeholder, original)
  }

  #next(label: string): string {
    let number = this.#counters.get(label) ?? 0
    let placeholder: string
    do placeholder = `<${label}_${++number}>`
    while (this.#foreign.has(placeholder) || this.#originals.has(placeholder))
    this.#counters.set(label, number)
    return placeholder
  }
}

const canonical = (name: string): string => `<${name.replaceAll('\\', '')}>`
