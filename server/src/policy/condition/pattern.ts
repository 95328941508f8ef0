import { RE2JS } from 're2js'
import { compileLiteralTest } from './required-literals.ts'

/** Longest source, and most instructions that it may compile to. */
const MAX_LENGTH = 1_000
const MAX_INSTRUCTIONS = 1_000
/** Automaton states that one text may cause, in bytes as the library estimates them. A usual expression needs a few kilobytes. */
const MAX_STATE_BYTES = 2 << 20
/** States kept for the next text, in the same bytes. */
const MAX_KEPT_BYTES = MAX_STATE_BYTES / 4

/**
 * A regular expression of a condition, in RE2's syntax: linear time for every text. Where every match must contain some literal,
 * the literal is searched first, ten times faster.
 */
export class Pattern {
  readonly #engine: RE2JS
  readonly #literals: RegExp | undefined

  /** Throws an Error that says what is wrong with `source`. */
  constructor(source: string) {
    if (source.length > MAX_LENGTH) throw new Error(`a regular expression may have ${MAX_LENGTH} characters`)
    this.#engine = RE2JS.compile(source)
    if (this.#engine.programSize() > MAX_INSTRUCTIONS) {
      throw new Error('the regular expression is too complex: repeat less within {…}')
    }
    const { dfa } = this.#engine.re2()
    dfa.stateBudget = MAX_STATE_BYTES
    dfa.memBudget = MAX_STATE_BYTES
    // @NOTE re2js 2.10.0, pinned: beyond the budget it would start again, then continue without an automaton (4 s for 1 MiB).
    dfa.resetCache = () => {
      throw new Error('the text is too complex for the regular expression')
    }
    this.#literals = compileLiteralTest(source)
  }

  /** Whether any part of `text` matches. Throws when this text needs more automaton states than the budget allows. */
  test(text: string): boolean {
    if (this.#literals && !this.#literals.test(text)) return false
    const { dfa } = this.#engine.re2()
    if (dfa.memBudget < MAX_STATE_BYTES - MAX_KEPT_BYTES) dfa.clearCache()
    return this.#engine.test(text)
  }
}
