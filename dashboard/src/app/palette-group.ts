import type { NavigationEntry } from '../routing/feature.ts'

/** One line of the command palette. */
export interface PaletteEntry {
  readonly id: string
  readonly label: string
  readonly description?: string
  readonly icon: NavigationEntry['icon']
  readonly run: () => void
}

export interface PaletteGroup {
  readonly name: string
  readonly entries: readonly PaletteEntry[]
}

/** Longer groups need a longer query. All pages fit. */
const MAX_ENTRIES = 30

/** The first entries that contain every word of the query. */
export function matching(query: string, entries: readonly PaletteEntry[]): readonly PaletteEntry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return entries
    .filter(({ label, description = '' }) => {
      const text = `${label} ${description}`.toLowerCase()
      return words.every((word) => text.includes(word))
    })
    .slice(0, MAX_ENTRIES)
}
