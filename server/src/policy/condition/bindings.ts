import { type CelInput, type CelValue, celList, celMap } from '@bufbuild/cel'
import type { FindingCounts } from '../../domain/finding.ts'
import type { PolicyInput } from '../input.ts'
import { FORMS } from './content-form-calls.ts'
import { getForms } from './content-forms.ts'
import type { Type } from './value-types.ts'
import { VARIABLES } from './variables.ts'
import { createBudget } from './work-budget.ts'

/**
 * A PolicyInput in the form that the CEL library reads: one property for each name of VARIABLES, dots included. CEL resolves the
 * longest name first, so `user.role` is one lookup and no map is built for `user`. Values are converted when they are read.
 */
export class Bindings {
  readonly #input: PolicyInput
  /** Shared by all conditions that are evaluated on this input. */
  readonly budget = createBudget()

  constructor(input: PolicyInput) {
    this.#input = input
  }

  static {
    Object.defineProperty(Bindings.prototype, FORMS, {
      get(this: Bindings) {
        return celList(getForms(this.#input.content).all)
      },
    })
    for (const [name, { type, read }] of VARIABLES) {
      Object.defineProperty(Bindings.prototype, name, {
        get(this: Bindings) {
          return toCel(type, read(this.#input))
        },
      })
    }
  }
}

function toCel(type: Type, value: unknown): CelInput | undefined {
  if (value === undefined || value === null) return value
  if (type.kind === 'int') return BigInt(value as number)
  if (type.kind === 'timestamp') return toTimestamp(value as Date)
  if (type.kind === 'list') return celList(value as readonly string[])
  if (type.kind === 'map') return type.keys ? toCountMap(value as FindingCounts) : toFreeFormMap(value as object)
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

/** Maximum number of values, at all depths, in one entry of a free-form map. Clients send these maps, and conditions loop over them. */
const MAX_VALUES = 500

/** A free-form map whose entries are converted when they are read. Reading an entry that is too large throws a RangeError. */
class FreeFormMap extends Map<string, CelValue> {
  readonly #source: ReadonlyMap<string, unknown>

  constructor(source: object) {
    super()
    this.#source = new Map(Object.entries(source).filter(([, value]) => value !== undefined))
    if (this.#source.size > MAX_VALUES) throw new RangeError(`more than ${MAX_VALUES} entries`)
    for (const key of this.#source.keys()) super.set(key, null)
  }

  override get(key: string): CelValue | undefined {
    if (this.#source.has(key) && super.get(key) === null) super.set(key, convertJson(this.#source.get(key)))
    return super.get(key)
  }

  override *entries(): MapIterator<[string, CelValue]> {
    for (const key of this.keys()) yield [key, this.get(key) ?? null]
  }
}

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

const toFreeFormMap = cached((source: object) => celMap(new FreeFormMap(source)))
