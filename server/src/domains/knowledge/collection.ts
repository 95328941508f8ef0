import type { Language } from '../retrieval/language.ts'
import type { CollectionLabels } from './labels.ts'

/** A group of documents with shared labels. Ids are TypeIDs (`col_…`). */
export interface Collection extends CollectionLabels {
  readonly id: string
  readonly workspaceId: string
  readonly name: string
  readonly description: string
  /** Applies to documents ingested from now on; a stored document takes it over when it is ingested again. */
  readonly language: Language
  readonly createdAt: Date
  readonly updatedAt: Date
}

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
