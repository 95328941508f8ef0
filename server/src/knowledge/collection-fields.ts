import { type Static, Type } from 'typebox'
import type { Checked } from '../lib/schema.ts'
import { LANGUAGES, type Language } from '../retrieval/language.ts'
import { COLLECTION_DEFAULTS, type CollectionPatch } from './collection.ts'
import { LabelFields, labelsOf } from './label-fields.ts'

// Text that PostgreSQL can store, over several lines if need be.
const Text = { maxLength: 2_000, pattern: '^[^\\u0000\\p{Cs}]*$' }
const ApplicationName = Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\p{Cc}\\p{Cs}]*$' })

/** A collection as people write it, but for its name: in requests and in `gatehouse.yaml`. null resets to the default. */
export const CollectionFields = {
  description: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], ...Text })),
  ...LabelFields,
  language: Type.Optional(
    Type.Unsafe<Language | null>({
      ...Type.Union([...LANGUAGES.map((language) => Type.Literal(language)), Type.Null()]),
      description: 'In which its documents are indexed; `none`: every word as it stands. Counts for what comes in from then on.',
    }),
  ),
  applications: Type.Optional(
    Type.Unsafe<string[] | null>({
      type: ['array', 'null'],
      items: ApplicationName,
      maxItems: 1_000,
      description: 'Names or ids of the Applications it serves. null: all of the Workspace.',
    }),
  ),
}

const Written = Type.Object(CollectionFields)
type WrittenCollection = Static<typeof Written>

/** What checked fields set. Which Applications are named only the database can tell: that is left to the caller. */
export function collectionPatch({
  description,
  language,
  applications: _,
  ...labels
}: WrittenCollection): Checked<Omit<CollectionPatch, 'name' | 'applications'>> {
  const read = labelsOf(labels)
  if (!read.ok) return read
  const value = {
    ...(description !== undefined && { description: description ?? COLLECTION_DEFAULTS.description }),
    ...read.value,
    ...(language !== undefined && { language: language ?? COLLECTION_DEFAULTS.language }),
  }
  return { ok: true, value }
}
