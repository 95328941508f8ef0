import { type CelInput, type CelValue, celList, celMap } from '@bufbuild/cel'
import type { FindingCounts } from '../../../shared/finding.ts'
import { decodeArguments, type ToolCall } from '../../../shared/tool-call.ts'
import type { PolicyInput } from '../input.ts'
import { FORMS } from './content-form-calls.ts'
import { getForms } from './content-forms.ts'
import { holdsRecords, keysOf, type Type } from './value-types.ts'
import { VARIABLES } from './variables.ts'
import { type Budget, createBudget, DECODE_COST, spend } from './work-budget.ts'

/** A PolicyInput as the CEL library reads it. CEL resolves the longest name first, so `user.role` is one property. */
export class Bindings {
  readonly #input: PolicyInput
  readonly budget = createBudget()
  #calls: CelInput | undefined

  constructor(input: PolicyInput) {
    this.#input = input
  }

  static {
    Object.defineProperty(Bindings.prototype, FORMS, {
      get(this: Bindings) {
        const { all, unwrapped } = getForms(this.#input.content)
        return celList([...all, ...unwrapped])
      },
    })
    for (const [name, { type, read }] of VARIABLES) {
      Object.defineProperty(Bindings.prototype, name, {
        get(this: Bindings) {
          const value = read(this.#input)
          return holdsRecords(type) ? this.#readCalls(value as readonly ToolCall[]) : toCel(type, value)
        },
      })
    }
  }

  #readCalls(calls: readonly ToolCall[]): CelInput {
    this.#calls ??= celList(calls.map((call) => toCallMap(call, this.budget)))
    return this.#calls
  }
}

function toCel(type: Type, value: unknown): CelInput | undefined {
  if (value === undefined || value === null) return value
  if (type.kind === 'int') return BigInt(value as number)
  if (type.kind === 'timestamp') return toTimestamp(value as Date)
  if (type.kind === 'list') return celList(value as readonly string[])
  if (type.kind === 'map') return keysOf(type) ? toCountMap(value as FindingCounts) : toKnownMap(value as object)
  return value as string | boolean
}

/** Converts each object once: many requests share an Application's settings, and several points share a user's attributes. */
function cached<K extends object>(convert: (source: K) => CelValue): (source: K) => CelValue {
  const values = new WeakMap<K, CelValue>()
  return (source) => {
    const value = values.get(source) ?? convert(source)
    values.set(source, value)
    return value
  }
}

/** Builds the protobuf message as a plain object: parsing a text takes ten times longer. */
function toTimestamp(date: Date): CelInput {
  const ms = date.getTime()
  const seconds = Math.floor(ms / 1_000)
  const message = { $typeName: 'google.protobuf.Timestamp', seconds: BigInt(seconds), nanos: (ms - seconds * 1_000) * 1_000_000 }
  return message satisfies CelInput
}

const toCountMap = cached((counts: FindingCounts) =>
  celMap(new Map(Object.entries(counts).map(([name, count]) => [name, BigInt(count)]))),
)

const toKnownMap = cached(toFreeFormMap)

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
function toFreeFormMap(source: object): CelValue {
  const values = new Map(Object.entries(source).filter(([, value]) => value !== undefined))
  if (values.size > MAX_VALUES) throw new RangeError(`more than ${MAX_VALUES} entries`)
  return celMap(new LazyMap(values.keys(), (key) => convertJson(values.get(key))))
}

/** A tool call. Its arguments are decoded when a condition reads them, which charges the budget. */
const toCallMap = ({ name, arguments: given }: ToolCall, budget: Budget): CelValue =>
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
