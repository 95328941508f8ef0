import { camelCase } from '../../../platform/lib/camel-case.ts'
import type { DecidingRule, PolicyPoint, Verdict } from '../../../shared/decision.ts'
import { Bindings } from '../condition/bindings.ts'
import { VARIABLES } from '../condition/variables.ts'
import type { PolicyInput } from '../input.ts'

/** A value that is stored as a keyed hash and equals none of the texts that the policy compares it with. */
export const OTHER_VALUE: unique symbol = Symbol('other')

export type StoredValues = Readonly<Record<string, unknown>>

/** A text that no policy document contains, because documents cannot contain U+0000. */
const UNEQUAL_TEXT = '\0'

/** Reading a value that is not stored throws. If the condition is true or false nevertheless, it does not depend on the value. */
export class StoredInput {
  readonly input: PolicyInput
  readonly bindings: Bindings
  readonly #values: StoredValues
  #missing: string | undefined
  #otherUses: ReadonlySet<string> = new Set()

  constructor(values: StoredValues) {
    this.#values = values
    this.input = toPolicyInput((name) => this.#read(name))
    this.bindings = new Bindings(this.input)
  }

  /** Call it before a condition is evaluated. `otherUses`: hashed names that the condition does not only compare. */
  begin(otherUses: ReadonlySet<string>): void {
    this.#missing = undefined
    this.#otherUses = otherUses
  }

  get missing(): string | undefined {
    return this.#missing
  }

  #read(name: string): unknown {
    const value = this.#values[name]
    if (value === OTHER_VALUE && !this.#otherUses.has(name)) return UNEQUAL_TEXT
    if (value !== undefined && value !== OTHER_VALUE) return value
    this.#missing ??= name
    throw new Error('not stored')
  }
}

type Read = (name: string) => unknown

/** A class for each group (`user`, `content` …) with a getter for each of its names. All records share the classes. */
const GROUPS = new Map<string, new (read: Read) => object>()

for (const name of VARIABLES.keys()) {
  const [group = '', field] = name.split('.')
  if (field === undefined) continue
  const Group =
    GROUPS.get(group) ??
    class {
      readonly read: Read
      constructor(read: Read) {
        this.read = read
      }
    }
  GROUPS.set(group, Group)
  Object.defineProperty(Group.prototype, camelCase(field), {
    get(this: { read: Read }) {
      return this.read(name)
    },
  })
}

function toPolicyInput(read: Read): PolicyInput {
  const groups = [...GROUPS].map(([name, Group]) => [name, new Group(read)])
  const input = Object.fromEntries(groups)
  return Object.defineProperty(input, 'now', { get: () => read('now') })
}

export interface StoredRequest {
  readonly rules: readonly DecidingRule[]
  readonly points: readonly StoredPoint[]
}

export interface StoredPoint {
  readonly point: PolicyPoint
  /** `unreached`: the request ended before the point. `unused`: it had no content for the point. */
  readonly state: 'evaluated' | 'unreached' | 'unused'
  /** Undefined at points that decide on single hits or memories, which are not stored. */
  readonly input: StoredInput | undefined
  /** Verdicts whose effect on the request differs from the verdict: a denied hit is left out, and the request is allowed. */
  readonly effectiveVerdicts: Readonly<Partial<Record<Verdict, Verdict>>>
  readonly endingVerdicts: readonly Verdict[]
  readonly disabledBy?: string
}
