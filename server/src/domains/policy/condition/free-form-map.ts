import { type CelValue, celList, celMap } from '@bufbuild/cel'

/** Maximum number of values, at all depths, in one entry of a free-form map. Clients send these maps, and conditions loop over them. */
const MAX_VALUES = 500

/** A free-form map whose entries are converted when they are read. Reading an entry that is too large throws a RangeError. */
export class FreeFormMap extends Map<string, CelValue> {
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
