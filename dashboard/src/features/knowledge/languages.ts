import type { ItemOf } from '../../api/operations.ts'

type Language = ItemOf<'/admin/v1/collections'>['language']

/** Languages with a stemmer. */
const CODES: readonly Exclude<Language, 'none'>[] = [
  ...(['ar', 'bg', 'da', 'de', 'el', 'en', 'es', 'fi', 'fr', 'ga', 'hi', 'hu', 'hy', 'id'] as const),
  ...(['it', 'lt', 'ne', 'nl', 'no', 'pt', 'ro', 'ru', 'sa', 'sr', 'sv', 'ta', 'tr', 'uk'] as const),
]

const names = new Intl.DisplayNames('en', { type: 'language' })

export const LANGUAGE_CHOICES: { value: Language; label: string }[] = [
  ...CODES.map((code) => ({ value: code, label: names.of(code) ?? code })).sort((one, other) =>
    one.label.localeCompare(other.label),
  ),
  { value: 'none', label: 'Other (no stemming)' },
]
