import { RE2JS } from '@bufbuild/re2'
import { literalTest } from './literals.ts'

/** What a regular expression may weigh: its own length, and the instructions it compiles to. */
const MAX_LENGTH = 1_000
const MAX_INSTRUCTIONS = 1_000
/** States of the automaton (about 1 KB each) that one text may cause, and that a pattern keeps for the next text. */
const MAX_STATES = 2_000
const MAX_STATES_KEPT = 500

/**
 * A regular expression of a condition, in RE2's syntax: linear time, whatever the text. Where every match must contain some
 * literal, that is looked for first, about a hundred times faster.
 */
export class Pattern {
  readonly #source: string
  readonly #literals: RegExp | undefined
  #engine: RE2JS

  /** Throws an Error that says what is wrong with `source`. */
  constructor(source: string) {
    if (source.length > MAX_LENGTH) throw new Error(`a regular expression may have ${MAX_LENGTH} characters`)
    this.#source = source
    this.#engine = bounded(RE2JS.compile(source))
    if (this.#engine.re2().prog.numInst() > MAX_INSTRUCTIONS) {
      throw new Error('the regular expression is too complex: repeat less within {…}')
    }
    this.#literals = literalTest(source)
  }

  /** Whether any part of `text` matches. Throws when this text drives the automaton beyond its bounds. */
  test(text: string): boolean {
    if (this.#literals && !this.#literals.test(text)) return false
    try {
      return this.#engine.test(text)
    } finally {
      // Hostile texts make the automaton remember much: start afresh, and give the memory back.
      if (this.#engine.re2().dfa.stateCount > MAX_STATES_KEPT) this.#engine = bounded(RE2JS.compile(this.#source))
    }
  }
}

type Resolved = ReturnType<ReturnType<RE2JS['re2']>['dfa']['resolveEmptyWidth']>

/**
 * @NOTE The library (0.6.1, pinned) is linear, but leaves its fast path in two places: at `\b` it works out the same assertion
 * for every character anew (10 s for 1 MiB and a hard pattern), and beyond 10,000 states it goes on without an automaton, slower
 * again. So that one is remembered per state here, and the other is an error, which a condition counts as a denial.
 */
function bounded(engine: RE2JS): RE2JS {
  const { dfa } = engine.re2()
  dfa.stateLimit = MAX_STATES
  const resolve = dfa.resolveEmptyWidth.bind(dfa)
  const resolved = new WeakMap<Int32Array, Resolved[]>()
  dfa.resolveEmptyWidth = (states, context) => {
    const known = resolved.get(states) ?? []
    const answer = known[context] ?? {
      isMatch: resolve(states, context).isMatch,
      // Needed once per new transition, and too large to keep.
      get resolvedPCs() {
        return resolve(states, context).resolvedPCs
      },
    }
    if (known.length === 0) resolved.set(states, known)
    known[context] = answer
    return answer
  }
  engine.re2()._nfaFallback = () => {
    throw new Error('the text is too complex for the regular expression')
  }
  return engine
}
