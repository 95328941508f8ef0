import { type Static, Type } from 'typebox'
import type { Checked } from '../../platform/lib/schema.ts'
import { LANGUAGES, type Language } from '../retrieval/language.ts'
import { COLLECTION_DEFAULTS, type CollectionPatch } from './collection.ts'
import { LabelFields, parseLabels } from './label-fields.ts'

// PostgreSQL stores neither U+0000 nor unpaired surrogates.
const Text = { maxLength: 2_000, pattern: '^[^\\u0000\\p{Cs}]*$' }
const ApplicationName = Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\p{Cc}\\p{Cs}]*$' })

/** The fields of a collection in requests and in `gatehouse.yaml`, without its name. null resets a field to its default. */
export const CollectionFields = {
  description: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], ...Text })),
  ...LabelFields,
  language: Type.Optional(
    Type.Unsafe<Language | null>({
      ...Type.Union([...LANGUAGES.map((language) => Type.Literal(language)), Type.Null()]),
      description:
        'Language of documents that have no `language` and whose text shows no other. `none`: words are not stemmed. A change applies to documents added later.',
    }),
  ),
  applications: Type.Optional(
    Type.Unsafe<string[] | null>({
      type: ['array', 'null'],
      items: ApplicationName,
      maxItems: 1_000,
      description: 'Names or ids of the Applications that can search the collection. null: all Applications of the Workspace.',
    }),
  ),
}

const CollectionInput = Type.Object(CollectionFields)
type CollectionInput = Static<typeof CollectionInput>

/** Converts checked fields to a patch. The calling function resolves `applications`, because that needs the database. */
export function collectionPatch({
  description,
  language,
  applications: _,
  ...labels
}: CollectionInput): Checked<Omit<CollectionPatch, 'name' | 'applications'>> {
  const parsed = parseLabels(labels)
  if (!parsed.ok) return parsed
  const value = {
    ...(description !== undefined && { description: description ?? COLLECTION_DEFAULTS.description }),
    ...parsed.value,
    ...(language !== undefined && { language: language ?? COLLECTION_DEFAULTS.language }),
  }
  return { ok: true, value }
}
