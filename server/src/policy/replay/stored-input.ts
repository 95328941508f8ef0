import { Bindings } from '../condition/bindings.ts'
import { VARIABLES } from '../condition/variables.ts'
import type { PolicyInput } from '../input.ts'

/** What is known of a value that is stored as a keyed hash: that it is none of the texts which the policy compares it with. */
export const OTHER_VALUE: unique symbol = Symbol('other')

/** Values by the names that conditions use. What was not stored is absent. */
export type StoredValues = Readonly<Record<string, unknown>>

/** Equal to no text that a policy could hold: documents hold no U+0000. */
const SOMETHING_ELSE = '\0'

/**
 * The facts of a record in the place of a PolicyInput. Reading what was not stored throws, which a condition takes for a broken
 * part: whether it decides is then seen by whether the condition says true or false all the same.
 */
export class StoredInput {
  readonly input: PolicyInput
  readonly bindings: Bindings
  readonly #facts: StoredValues
  #missing: string | undefined
  #freely: ReadonlySet<string> = new Set()

  constructor(facts: StoredValues) {
    this.#facts = facts
    this.input = inputOf((name) => this.#read(name))
    this.bindings = new Bindings(this.input)
  }

  /** Begins a condition that reads these hashed names for more than comparing them. */
  begin(freely: ReadonlySet<string>): void {
    this.#missing = undefined
    this.#freely = freely
  }

  /** The first name that the condition asked for in vain. */
  get missing(): string | undefined {
    return this.#missing
  }

  #read(name: string): unknown {
    const value = this.#facts[name]
    if (value === OTHER_VALUE && !this.#freely.has(name)) return SOMETHING_ELSE
    if (value !== undefined && value !== OTHER_VALUE) return value
    this.#missing ??= name
    throw new Error('not stored')
  }
}

type Read = (name: string) => unknown

/** A class for each group (`user`, `content` …) with one getter for each of its names: made once, not for each record. */
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

function inputOf(read: Read): PolicyInput {
  const groups = [...GROUPS].map(([name, Group]) => [name, new Group(read)])
  const input = Object.fromEntries(groups)
  return Object.defineProperty(input, 'now', { get: () => read('now') })
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
