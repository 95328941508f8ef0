/** A filter of a list. Its value is text, as in the URL; several choices are separated by commas. */
export interface Filter {
  readonly name: string
  readonly label: string
  /**
   * `segments`: few choices that are all in view, the first with the value ''. `period`: the values `period` (a name of `periods`), or
   * `from` and `to` (local times, `2026-11-21T09:30`), instead of `name`.
   */
  readonly kind: 'choice' | 'choices' | 'segments' | 'text' | 'time' | 'period'
  /** Always shown. Other filters are shown when they are added or have a value. */
  readonly pinned?: true
  readonly choices?: readonly { readonly value: string; readonly label: string }[]
  /** The choice without a value. It cannot be cleared. */
  readonly fallback?: string
  /** Typing narrows the choices. */
  readonly searchable?: boolean
  readonly placeholder?: string
  readonly error?: string | undefined
  /** In pixels. */
  readonly width?: number
  /** Values that a text can be completed to. */
  readonly suggestions?: readonly Suggestion[]
  /** Called with the text that is typed, before it applies. */
  readonly onSearch?: (text: string) => void
  readonly periods?: readonly string[]
}

export interface Suggestion {
  readonly value: string
  readonly description: string
}

export type FilterValues = Readonly<Record<string, string | undefined>>

const valuesOf = ({ kind, name }: Filter): readonly string[] => (kind === 'period' ? ['period', 'from', 'to'] : [name])

export const isSet = (filter: Filter, values: FilterValues): boolean =>
  valuesOf(filter).some((name) => ![undefined, '', filter.fallback].includes(values[name]))

/** Changes that remove the filters. */
export const withoutFilters = (filters: readonly Filter[]): FilterValues =>
  Object.fromEntries(filters.flatMap(valuesOf).map((name) => [name, undefined]))

/** The value in words: the labels of choices. */
export function textOfValue({ choices = [] }: Filter, value: string): string {
  const labelOf = (one: string) => choices.find((choice) => choice.value === one)?.label ?? one
  return value.split(',').map(labelOf).join(', ')
}
