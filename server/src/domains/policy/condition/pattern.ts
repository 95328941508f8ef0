import { RE2JS } from 're2js'
import { compileLiteralTest } from './required-literals.ts'

/** Limits of the source in characters, and of the compiled program. */
const MAX_LENGTH = 1_000
const MAX_INSTRUCTIONS = 1_000
/** Limit of the automaton states for one text, in bytes as estimated by the library. A typical expression needs a few kilobytes. */
const MAX_STATE_BYTES = 2 << 20
/** States that are kept for the next text. */
const MAX_KEPT_BYTES = MAX_STATE_BYTES / 4

/**
 * A regular expression in RE2 syntax, which takes linear time for every text. If every match must contain a literal, the literal is
 * searched first, which is ten times faster.
 */
export class Pattern {
  readonly #engine: RE2JS
  readonly #literals: RegExp | undefined

  /** Throws an Error with the reason if `source` is not valid. */
  constructor(source: string) {
    if (source.length > MAX_LENGTH) throw new Error(`a regular expression must have at most ${MAX_LENGTH} characters`)
    this.#engine = RE2JS.compile(source)
    if (this.#engine.programSize() > MAX_INSTRUCTIONS) {
      throw new Error('the regular expression is too complex: use smaller numbers in {…}')
    }
    const { dfa } = this.#engine.re2()
    dfa.stateBudget = MAX_STATE_BYTES
    dfa.memBudget = MAX_STATE_BYTES
    // @NOTE re2js 2.10.0, pinned: when the budget is used up, it would clear the states, then match without them (4 s for 1 MiB).
    dfa.resetCache = () => {
      throw new Error('the text is too complex for the regular expression')
    }
    this.#literals = compileLiteralTest(source)
  }

  /** Whether any part of `text` matches. Throws if the text needs more automaton states than the budget allows. */
  test(text: string): boolean {
    if (this.#literals && !this.#literals.test(text)) return false
    const { dfa } = this.#engine.re2()
    if (dfa.memBudget < MAX_STATE_BYTES - MAX_KEPT_BYTES) dfa.clearCache()
    return this.#engine.test(text)
  }
}
