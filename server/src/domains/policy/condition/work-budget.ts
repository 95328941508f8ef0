import { type CelValue, isCelList, isCelMap } from '@bufbuild/cel'

/** In characters: about 128 searches through 1 MiB. A search takes at most 20 ns for each character. */
const MAX_WORK = 2 ** 27
/** V8 searches short texts in linear time; for longer ones the worst case grows with their length. */
const SHORT_SEARCH = 32
/** Costs in characters: of a node of a condition, of a character that a pattern reads, of a character of JSON that is decoded. */
const NODE_COST = 32
export const PATTERN_COST = 4
export const DECODE_COST = 4

export interface Budget {
  remaining: number
}

export const createBudget = (): Budget => ({ remaining: MAX_WORK })

export function spend(budget: Budget, characters: number): void {
  budget.remaining -= characters
  if (budget.remaining < 0) throw new Error('the texts or lists are too complex for the condition')
}

/** Clients choose both texts of `user.attributes.words.exists(w, content.text.contains(w))` (decision 0005). */
export class WorkCounter {
  #budget = createBudget()

  /** Call it before each operand of a condition. */
  begin(budget: Budget): void {
    this.#budget = budget
  }

  spend(characters: number): void {
    spend(this.#budget, characters)
  }

  chargeValues(value: CelValue): void {
    if (typeof value === 'string') this.spend(value.length)
    else if (isCelList(value)) for (const item of value) this.#chargeValue(item)
    else if (isCelMap(value)) for (const [, item] of value) this.#chargeValue(item)
  }

  #chargeValue(value: CelValue): void {
    this.spend(NODE_COST)
    this.chargeValues(value)
  }

  contains(text: string, part: string): boolean {
    this.spend(text.length * Math.ceil(part.length / SHORT_SEARCH))
    return text.includes(part)
  }

  chargeLoop(turns: number, nodesPerTurn: number): void {
    this.spend(turns * nodesPerTurn * NODE_COST)
  }
}
