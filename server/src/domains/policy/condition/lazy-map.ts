import { type CelValue, celList, celMap } from '@bufbuild/cel'
import { decodeArguments, type ToolCall } from '../../../shared/tool-call.ts'
import { type Budget, DECODE_COST, spend } from './work-budget.ts'

/** Maximum number of values, at all depths, in one entry of a free-form map. Clients send these maps, and conditions loop over them. */
const MAX_VALUES = 500

/** A map whose values are converted when they are read, because most conditions read few of them. */
class LazyMap extends Map<string, CelValue> {
  readonly #convert: (key: string) => CelValue

  constructor(keys: Iterable<string>, convert: (key: string) => CelValue) {
    super()
    this.#convert = convert
    for (const key of keys) this.set(key, null)
  }

  override get(key: string): CelValue | undefined {
    if (super.get(key) === null) this.set(key, this.#convert(key))
    return super.get(key)
  }

  override *entries(): MapIterator<[string, CelValue]> {
    for (const key of this.keys()) yield [key, this.get(key) ?? null]
  }
}

/** A free-form map. Reading an entry that is too large throws a RangeError. */
export function toFreeFormMap(source: object): CelValue {
  const values = new Map(Object.entries(source).filter(([, value]) => value !== undefined))
  if (values.size > MAX_VALUES) throw new RangeError(`more than ${MAX_VALUES} entries`)
  return celMap(new LazyMap(values.keys(), (key) => convertJson(values.get(key))))
}

/** A tool call. Its arguments are decoded when a condition reads them, which charges the budget. */
export const toCallMap = ({ name, arguments: given }: ToolCall, budget: Budget): CelValue =>
  celMap(
    new LazyMap(['name', 'arguments'], (key) => {
      if (key === 'name') return name
      if (typeof given !== 'string') return toFreeFormMap(given)
      spend(budget, given.length * DECODE_COST)
      return toFreeFormMap(decodeArguments(given))
    }),
  )

function convertJson(source: unknown): CelValue {
  let remaining = MAX_VALUES
  const convertValue = (value: unknown): CelValue => {
    if (remaining-- === 0) throw new RangeError(`more than ${MAX_VALUES} values`)
    if (Array.isArray(value)) return celList(value.map(convertValue))
    if (typeof value === 'object' && value !== null) {
      const entries = Object.entries(value).filter(([, entry]) => entry !== undefined)
      return celMap(new Map(entries.map(([key, entry]) => [key, convertValue(entry)])))
    }
    if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
    throw new TypeError('not a JSON value')
  }
  return convertValue(source)
}
