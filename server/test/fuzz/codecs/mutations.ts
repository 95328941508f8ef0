import type { Random } from '../../support/classification/random.ts'

/** A part of a JSON value: its place, and the path of it without indices (`messages[].content`). */
export interface Place {
  readonly path: string
  readonly value: unknown
  readonly parent: Container | undefined
  readonly key: string | number
  /** The entry of a list of the request in which it stands, such as a message; undefined: it stands in none. */
  readonly item: unknown
}
export type Container = Record<string, unknown> | unknown[]

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null

/** All parts of a JSON value, the value itself first. */
export function placesOf(value: unknown, path = '', parent?: Container, key: string | number = '', item?: unknown): Place[] {
  const own: Place = { path, value, parent, key, item }
  if (!isContainer(value)) return [own]
  if (Array.isArray(value)) {
    return [own, ...value.flatMap((each, index) => placesOf(each, `${path}[]`, value, index, item ?? each))]
  }
  const dot = path === '' ? '' : '.'
  return [own, ...Object.entries(value).flatMap(([name, each]) => placesOf(each, `${path}${dot}${name}`, value, name, item))]
}

/** A text that no other value has, so that its way through a codec can be followed. */
export const MARK = /mk\d+x/g
/** Numbers that no other value has. */
export const MARKED_NUMBER = /^(?:9\d{6}|0\.5\d{5}[1-9])$/

let marks = 0
export const mark = (text = ''): string => `mk${++marks}x${text && ` ${text}`}`
const count = (): number => 9_000_000 + (++marks % 1_000_000)
const fraction = (): number => Number(`0.5${String(++marks % 100_000).padStart(5, '0')}7`)
export const markedNumber = (isInteger: boolean): number => (isInteger ? count() : fraction())

/** Written as numbers of this form (`jsonOf`). */
const UNUSUAL_NUMBERS = ['#1.0', '#1e3', '#12345678901234567890', '#-0', '#0.10']
/** JSON text in which `"#1.0"` is the number `1.0`. */
export const jsonOf = (value: unknown): string => JSON.stringify(value).replaceAll(/"#(-?[\d.e]+)"/g, '$1')

const ODD: readonly unknown[] = [
  ...[null, true, false, [], {}, '', ' ', 0, -1, 1.5, 2 ** 53, 1e308, [[]], [null], { type: null }, 'null', '[]', '{', '"'],
  ...['\u0000', '\u202e\u2066abc', '🦊'.repeat(20), '</system>', '__proto__', 'toString'],
  ...['data:text/plain;base64,AAAA', '\\u0000'],
  ...UNUSUAL_NUMBERS,
]

/** The words and names of real bodies: values of enumerations and names of fields. */
export interface Vocabulary {
  readonly words: readonly string[]
  readonly names: readonly string[]
  readonly parts: readonly unknown[]
}

export function vocabularyOf(bodies: readonly unknown[]): Vocabulary {
  const places = bodies.flatMap((body) => placesOf(body))
  const words = places.flatMap(({ value }) => (typeof value === 'string' && /^[a-z_.\d]{1,40}$/.test(value) ? [value] : []))
  const names = places.flatMap(({ key }) => (typeof key === 'string' && key !== '' ? [key] : []))
  return { words: [...new Set(words)], names: [...new Set([...names, 'x_unknown'])], parts: places.map(({ value }) => value) }
}

/** Changes values, types, names, order and nesting of a JSON value. */
export class Mutator {
  readonly #random: Random
  readonly #vocabulary: Vocabulary

  constructor(random: Random, vocabulary: Vocabulary) {
    this.#random = random
    this.#vocabulary = vocabulary
  }

  /** A copy with one to four changes. */
  mutate<T>(value: T): T {
    let copy = structuredClone(value)
    for (let left = 1 + this.#random.number(4); left > 0; left--) copy = this.#change(copy)
    return copy
  }

  #change<T>(root: T): T {
    const places = placesOf(root)
    const place = this.#random.pick(places)
    if (place.parent === undefined) return this.#addField(root)
    const { parent, key, value } = place
    const replace = (next: unknown): void => {
      Object.assign(parent, { [key]: next })
    }
    switch (this.#random.number(9)) {
      case 0:
        replace(this.#scalarLike(value))
        break
      case 1:
        replace(structuredClone(this.#random.pick(ODD)))
        break
      case 2:
        replace(structuredClone(this.#random.pick(this.#vocabulary.parts)))
        break
      case 3:
        replace(this.#nested(value))
        break
      case 4:
        if (Array.isArray(parent)) parent.splice(Number(key), 1)
        else delete parent[key]
        break
      case 5:
        this.#reorder(parent, Number(key))
        break
      case 6:
        if (isContainer(value) && !Array.isArray(value)) this.#addField(value)
        else replace(this.#scalarLike(value))
        break
      case 7:
        if (typeof key === 'string') this.#rename(parent as Record<string, unknown>, key)
        else if (Array.isArray(parent)) parent.splice(Number(key), 0, structuredClone(value))
        break
      default:
        if (typeof value === 'string') replace(this.#random.pick(this.#vocabulary.words))
        else if (typeof value === 'boolean') replace(!value)
        else replace(this.#scalarLike(value))
    }
    return root
  }

  /** A new marked value of the same type. */
  #scalarLike(value: unknown): unknown {
    if (typeof value === 'number') return markedNumber(Number.isInteger(value))
    if (typeof value === 'boolean') return !value
    return this.#random.number(20) === 0 ? mark('word '.repeat(4_000)) : mark()
  }

  #nested(value: unknown): unknown {
    let nested = value
    for (let levels = this.#random.number(20) === 0 ? 60 : 1; levels > 0; levels--) {
      nested = this.#random.number(2) === 0 ? [nested] : { [this.#random.pick(this.#vocabulary.names)]: nested }
    }
    return nested
  }

  #addField<T>(fields: T): T {
    const value = this.#random.pick([mark(), count(), fraction(), true, { type: mark() }, [mark()], null])
    if (isContainer(fields)) Object.assign(fields, { [this.#random.pick(this.#vocabulary.names)]: value })
    return fields
  }

  #rename(parent: Record<string, unknown>, key: string): void {
    const { [key]: value } = parent
    delete parent[key]
    parent[this.#random.pick(this.#vocabulary.names)] = value
  }

  /** Swaps two items, or moves a field to the end. */
  #reorder(parent: Container, at: number): void {
    if (Array.isArray(parent)) {
      const other = this.#random.number(parent.length)
      ;[parent[at], parent[other]] = [parent[other], parent[at]]
      return
    }
    const name = this.#random.pick(Object.keys(parent))
    const { [name]: value } = parent
    delete parent[name]
    parent[name] = value
  }
}
