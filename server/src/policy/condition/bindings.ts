import { type CelInput, type CelValue, celList, celMap } from '@bufbuild/cel'
import type { FindingCounts } from '../../domain/finding.ts'
import type { PolicyInput } from '../input.ts'
import { FORMS } from './content-form-calls.ts'
import { formsOf } from './content-forms.ts'
import type { Type } from './value-types.ts'
import { VARIABLES } from './variables.ts'
import { fullBudget } from './work-budget.ts'

/**
 * A PolicyInput as the CEL library reads it: one property for each name of VARIABLES, dots included. CEL looks for the longest
 * name first, so `user.role` is one look-up and no map is ever built for `user`. Values are made when they are asked for.
 */
export class Bindings {
  readonly #input: PolicyInput
  /** What conditions may spend on this input. */
  readonly budget = fullBudget()

  constructor(input: PolicyInput) {
    this.#input = input
  }

  static {
    Object.defineProperty(Bindings.prototype, FORMS, {
      get(this: Bindings) {
        return celList(formsOf(this.#input.content).all)
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
  if (type.kind === 'timestamp') return timestamp(value as Date)
  if (type.kind === 'list') return celList(value as readonly string[])
  if (type.kind === 'map') return type.keys ? counts(value as FindingCounts) : freeForm(value as object)
  return value as string | boolean
}

/** Conversions are made once for each object: a Workspace's settings serve many requests, a user's attributes several points. */
function once<K extends object>(convert: (source: K) => CelValue): (source: K) => CelValue {
  const converted = new WeakMap<K, CelValue>()
  return (source) => {
    const known = converted.get(source) ?? convert(source)
    converted.set(source, known)
    return known
  }
}

/** A protobuf message as its library has them: a plain object that names its type. Parsing a text instead takes ten times longer. */
function timestamp(date: Date): CelInput {
  const ms = date.getTime()
  const seconds = Math.floor(ms / 1_000)
  const message = { $typeName: 'google.protobuf.Timestamp', seconds: BigInt(seconds), nanos: (ms - seconds * 1_000) * 1_000_000 }
  return message satisfies CelInput
}

const counts = once((findings: FindingCounts) => celMap(new Map(Object.entries(findings).map(([name, n]) => [name, BigInt(n)]))))

/** Values, at all depths, of one entry of a free-form map: they are the caller's, and conditions go through them. */
const MAX_VALUES = 500

/** A free-form map whose entries are converted when they are asked for. A condition that asks for too large a one fails. */
class FreeForm extends Map<string, CelValue> {
  readonly #source: ReadonlyMap<string, unknown>

  constructor(source: object) {
    super()
    this.#source = new Map(Object.entries(source).filter(([, value]) => value !== undefined))
    if (this.#source.size > MAX_VALUES) throw new RangeError(`more than ${MAX_VALUES} entries`)
    for (const key of this.#source.keys()) super.set(key, null)
  }

  override get(key: string): CelValue | undefined {
    if (this.#source.has(key) && super.get(key) === null) super.set(key, convert(this.#source.get(key)))
    return super.get(key)
  }

  override *entries(): MapIterator<[string, CelValue]> {
    for (const key of this.keys()) yield [key, this.get(key) ?? null]
  }
}

function convert(source: unknown): CelValue {
  let left = MAX_VALUES
  const one = (value: unknown): CelValue => {
    if (left-- === 0) throw new RangeError(`more than ${MAX_VALUES} values`)
    if (Array.isArray(value)) return celList(value.map(one))
    if (typeof value === 'object' && value !== null) {
      const entries = Object.entries(value).filter(([, entry]) => entry !== undefined)
      return celMap(new Map(entries.map(([key, entry]) => [key, one(entry)])))
    }
    if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
    throw new TypeError('not a JSON value')
  }
  return one(source)
}

const freeForm = once((source: object) => celMap(new FreeForm(source)))
