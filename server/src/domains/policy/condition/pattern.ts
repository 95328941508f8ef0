import { RE2JS } from 're2js'
import { compileLiteralTest } from './required-literals.ts'

const MAX_LENGTH = 1_000
const MAX_INSTRUCTIONS = 1_000
/** Limit of the automaton states for one text, in bytes as estimated by the library. A typical expression needs a few kilobytes. */
const MAX_STATE_BYTES = 2 << 20
const MAX_KEPT_BYTES = MAX_STATE_BYTES / 4

/** A regular expression of RE2: linear time. A literal that every match must contain is searched first, ten times faster. */
export class Pattern {
  readonly #engine: RE2JS
  readonly #literals: RegExp | undefined

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

  test(text: string): boolean {
    if (this.#literals && !this.#literals.test(text)) return false
    const { dfa } = this.#engine.re2()
    if (dfa.memBudget < MAX_STATE_BYTES - MAX_KEPT_BYTES) dfa.clearCache()
    return this.#engine.test(text)
  }
}
