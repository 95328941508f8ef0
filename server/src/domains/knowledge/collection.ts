import type { Entity } from '../../platform/db/from-row.ts'

/** A group of documents with shared labels. Ids are TypeIDs (`col_…`). */
export type Collection = Omit<Entity<'knowledge_collection'>, 'removedAt'>

type Settings = Pick<Collection, 'description' | 'classification' | 'regulations' | 'acl' | 'language' | 'applications'>

export type CollectionCreate = Pick<Collection, 'name'> & Partial<Settings>
export type CollectionPatch = Partial<Pick<Collection, 'name'> & Settings>

/** Without a classification its documents are restricted, and without an ACL no user sees them, unless the document has its own. */
export const COLLECTION_DEFAULTS: Settings = {
  description: '',
  classification: null,
  regulations: [],
  acl: null,
  language: 'en',
  applications: null,
}
