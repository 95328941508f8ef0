import { RE2JS } from '@bufbuild/re2'
import { Automaton } from './automaton.ts'
import { literalTest } from './literals.ts'

/** What a regular expression may weigh: its own length, and the instructions it compiles to. */
const MAX_LENGTH = 1_000
const MAX_INSTRUCTIONS = 1_000

/**
 * A regular expression of a condition, in RE2's syntax: linear time, whatever the text. Where every match must contain some
 * literal, that is looked for first, ten times faster.
 */
export class Pattern {
  readonly #source: string
  readonly #literals: RegExp | undefined
  #automaton: Automaton

  /** Throws an Error that says what is wrong with `source`. */
  constructor(source: string) {
    if (source.length > MAX_LENGTH) throw new Error(`a regular expression may have ${MAX_LENGTH} characters`)
    const engine = RE2JS.compile(source)
    if (engine.re2().prog.numInst() > MAX_INSTRUCTIONS) {
      throw new Error('the regular expression is too complex: repeat less within {…}')
    }
    this.#source = source
    this.#automaton = new Automaton(engine)
    this.#literals = literalTest(source)
  }

  /** Whether any part of `text` matches. Throws when this text drives the automaton beyond its bounds. */
  test(text: string): boolean {
    if (this.#literals && !this.#literals.test(text)) return false
    try {
      return this.#automaton.search(text)
    } finally {
      if (this.#automaton.overgrown) this.#automaton = new Automaton(RE2JS.compile(this.#source))
    }
  }
}
