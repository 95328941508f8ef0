import type { Language } from '../retrieval/language.ts'
import type { CollectionLabels } from './labels.ts'

/** Documents that belong together, and what holds for all of them. Ids are TypeIDs (`col_…`). */
export interface Collection extends CollectionLabels {
  readonly id: string
  readonly workspaceId: string
  readonly name: string
  readonly description: string
  /** Of documents that come in from now on; one that is there takes it on when it is ingested again. */
  readonly language: Language
  readonly createdAt: Date
  readonly updatedAt: Date
}

type Settings = Pick<Collection, 'description' | 'classification' | 'regulations' | 'acl' | 'language' | 'applications'>

export type CollectionCreate = Pick<Collection, 'name'> & Partial<Settings>
export type CollectionPatch = Partial<Pick<Collection, 'name'> & Settings>

/** Without a label its documents are restricted, without an ACL nobody sees them: both can be said for each document. */
export const COLLECTION_DEFAULTS: Settings = {
  description: '',
  classification: null,
  regulations: [],
  acl: null,
  language: 'en',
  applications: null,
}
