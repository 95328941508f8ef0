import i18next from 'i18next'
import { restrictionBody, restrictionValues } from '../../ui/restriction.ts'
import type { ApiKey } from './api-key.ts'

/** Form values of a key. */
export const valuesOf = (key?: ApiKey) => ({
  name: key?.name ?? '',
  /** Empty: none. */
  team_id: key?.team_id ?? '',
  ...restrictionValues(key),
  tags: [...(key?.tags ?? [])],
  /** A line for each: "owner: Ann". */
  metadata: Object.entries(key?.metadata ?? {})
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n'),
})
export type KeyValues = ReturnType<typeof valuesOf>

/** Request body. */
export const bodyOf = (values: KeyValues) => ({
  name: values.name.trim(),
  team_id: values.team_id || null,
  ...restrictionBody(values),
  tags: values.tags,
  metadata: Object.fromEntries(linesOf(values.metadata).map(partsOf)),
})

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '')

function partsOf(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]
}

/** The API validates the rest. */
export const KEY_VALIDATORS = {
  metadata: (text: string): string | null => {
    const index = linesOf(text).findIndex((line) => line.indexOf(':') < 1)
    return index < 0 ? null : i18next.t('applications:keys.fields.metadataInvalid', { line: index + 1 })
  },
}
