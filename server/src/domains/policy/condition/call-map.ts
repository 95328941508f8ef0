import { type CelValue, celMap } from '@bufbuild/cel'
import { decodeArguments, type ToolCall } from '../../../shared/tool-call.ts'
import { FreeFormMap } from './free-form-map.ts'
import { type Budget, DECODE_COST, spend } from './work-budget.ts'

/** A tool call. Its arguments are decoded when a condition reads them, because most conditions read the name first. */
export class CallMap extends Map<string, CelValue> {
  readonly #arguments: ToolCall['arguments']
  readonly #budget: Budget
  #decoded: CelValue | undefined

  constructor({ name, arguments: given }: ToolCall, budget: Budget) {
    super([
      ['name', name],
      ['arguments', null],
    ])
    this.#arguments = given
    this.#budget = budget
  }

  override get(key: string): CelValue | undefined {
    if (key !== 'arguments') return super.get(key)
    this.#decoded ??= this.#decode()
    return this.#decoded
  }

  override *entries(): MapIterator<[string, CelValue]> {
    for (const key of this.keys()) yield [key, this.get(key) ?? null]
  }

  #decode(): CelValue {
    const given = this.#arguments
    if (typeof given !== 'string') return celMap(new FreeFormMap(given))
    spend(this.#budget, given.length * DECODE_COST)
    return celMap(new FreeFormMap(decodeArguments(given)))
  }
}
