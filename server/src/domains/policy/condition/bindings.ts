import { type CelInput, type CelValue, celList, celMap } from '@bufbuild/cel'
import type { FindingCounts } from '../../../shared/finding.ts'
import type { ToolCall } from '../../../shared/tool-call.ts'
import type { PolicyInput } from '../input.ts'
import { FORMS } from './content-form-calls.ts'
import { getForms } from './content-forms.ts'
import { toCallMap, toFreeFormMap } from './lazy-map.ts'
import { holdsRecords, keysOf, type Type } from './value-types.ts'
import { VARIABLES } from './variables.ts'
import { createBudget } from './work-budget.ts'

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
