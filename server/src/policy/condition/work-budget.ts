/** About 128 searches through 1 MiB. A search may take 20 ns a character at worst: letters chosen against the engine. */
const MAX_WORK = 2 ** 27
/** V8 looks for short texts in linear time; for longer ones the worst case grows with their length. */
const SHORT = 32
/** The library spends as much time on a node of a condition as on looking at that many characters. */
const NODE = 32

/** What is left to one evaluation: all rules at a point. */
export interface Budget {
  left: number
}

export const fullBudget = (): Budget => ({ left: MAX_WORK })

/**
 * What one evaluation may do with texts and lists, all its rules and loops together:
 * `user.attributes.words.exists(w, content.text.contains(w))` is a fair question, and both its sides come from callers; a list
 * written out twice, one inside the other, comes from an author. Beyond the bound a part fails, which counts as a denial.
 */
export class Work {
  #budget = fullBudget()

  /** Called before each part of a condition. */
  begin(budget: Budget): void {
    this.#budget = budget
  }

  spend(characters: number): void {
    this.#budget.left -= characters
    if (this.#budget.left < 0) throw new Error('the texts or lists are too complex for the condition')
  }

  contains(text: string, part: string): boolean {
    this.spend(text.length * Math.ceil(part.length / SHORT))
    return text.includes(part)
  }

  /** Before a loop begins: so many turns, each of so many nodes. */
  loop(turns: number, nodes: number): void {
    this.spend(turns * nodes * NODE)
  }
}
