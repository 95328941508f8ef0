import type { RE2JS } from '@bufbuild/re2'

type Dfa = ReturnType<RE2JS['re2']>['dfa']
type State = NonNullable<ReturnType<Dfa['getState']>>

/** States that one text may cause, about 1 KB each; a sane expression has a few dozen. */
const MAX_STATES = 2_000
/** What is kept for the next text. */
const MAX_STATES_KEPT = 500
const MAX_RUNES_KEPT = 5_000

/** What stands before a position, as far as `^`, `\b` and the like ask. */
const [START, NEWLINE, WORD, OTHER] = [0, 1, 2, 3]
const KIND = Uint8Array.from({ length: 128 }, (_, code) => (code === 10 ? NEWLINE : isWord(code) ? WORD : OTHER))
const ASCII = 128
const END_OF_TEXT = -1
const UNANCHORED = 0

/** A state with its transitions by what stands before (four kinds) and the ASCII character that comes. */
interface Node {
  readonly state: State
  readonly next: (Node | undefined)[]
  /** Whether the expression has matched before the next character, by the assertions that hold there. */
  readonly matched: (boolean | undefined)[]
}

/** Stands for every state at which the expression has matched. */
const MATCHED = { next: [], matched: [] } as unknown as Node

/**
 * Walks a text through RE2's automaton, which the library builds state by state as texts need it.
 * @NOTE The library (0.6.1, pinned) walks too, but at `\b` works out the assertion for every character anew (10 s for 1 MiB and a
 * hard expression), goes on without an automaton beyond 10,000 states, slower again, and never forgets a character that it met.
 * Here a text that needs too many states is an error, which a condition counts as a denial.
 */
export class Automaton {
  readonly #dfa: Dfa
  readonly #start: Node
  readonly #nodes = new Map<State, Node>()
  #runesKept = 0

  constructor(engine: RE2JS) {
    const { dfa, prog } = engine.re2()
    dfa.stateLimit = MAX_STATES
    this.#dfa = dfa
    this.#start = this.#nodeOf(dfa.getState([prog.start]))
  }

  /** It has met so much that a fresh one is better. */
  get overgrown(): boolean {
    return this.#dfa.stateCount > MAX_STATES_KEPT || this.#runesKept > MAX_RUNES_KEPT
  }

  /** Whether any part of `text` matches. */
  search(text: string): boolean {
    let node = this.#start
    let before = START
    if (node === MATCHED) return true
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      let next: Node | undefined
      if (code < ASCII) {
        next = node.next[before * ASCII + code] ?? this.#advance(node, before, code)
        before = KIND[code] ?? OTHER
      } else {
        const rune = text.codePointAt(i) ?? code
        if (rune !== code) i += 1
        next = this.#advance(node, before, rune)
        before = OTHER
      }
      if (next === MATCHED) return true
      node = next
    }
    return this.#matches(node, assertions(before, END_OF_TEXT))
  }

  #advance(node: Node, before: number, rune: number): Node {
    const context = assertions(before, rune)
    const known = node.state.nextMap.size
    const next = this.#matches(node, context) ? MATCHED : this.#nodeOf(this.#dfa.step(node.state, rune, UNANCHORED, context))
    if (rune < ASCII) node.next[before * ASCII + rune] = next
    else this.#runesKept += node.state.nextMap.size - known
    return next
  }

  #matches({ state, matched }: Node, context: number): boolean {
    if (!state.hasEmptyWidth) return false
    const known = matched[context] ?? this.#dfa.resolveEmptyWidth(state.nfaStates, context).isMatch
    matched[context] = known
    return known
  }

  #nodeOf(state: State | null): Node {
    if (!state) throw new Error('the text is too complex for the regular expression')
    if (state.isMatch) return MATCHED
    const node = this.#nodes.get(state) ?? { state, next: [], matched: [] }
    this.#nodes.set(state, node)
    return node
  }
}

/** RE2's bits for the assertions that hold between two characters. */
function assertions(before: number, rune: number): number {
  const start = before === START ? 0b101 : before === NEWLINE ? 0b001 : 0
  const end = rune === END_OF_TEXT ? 0b1010 : rune === 10 ? 0b0010 : 0
  const boundary = (before === WORD) !== isWord(rune)
  return start | end | (boundary ? 0b01_0000 : 0b10_0000)
}

function isWord(rune: number): boolean {
  return (rune >= 48 && rune <= 57) || (rune >= 65 && rune <= 90) || rune === 95 || (rune >= 97 && rune <= 122)
}
