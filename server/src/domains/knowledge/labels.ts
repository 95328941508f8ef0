import { jsonOrNull } from '../../platform/db/values.ts'
import { type Classification, classificationRank, stricterClassification } from '../../shared/classification.ts'
import type { Viewer } from '../../shared/viewer.ts'
import { type Acl, allows, normalizedAcl, uniqueSorted } from './acl.ts'

/** Labels of a document or a collection. null: not set. */
export interface Labels {
  readonly classification: Classification | null
  readonly regulations: readonly string[]
  readonly acl: Acl | null
}

export interface DocumentLabels extends Labels {
  /** Labels of the document's own front matter. They can only restrict access further. */
  readonly limits: Labels
}

export interface CollectionLabels extends Labels {
  /** Ids of the Applications that may search it; null: every Application of the Workspace. */
  readonly applications: readonly string[] | null
}

/** The labels of a document that decide its visibility. */
export type Access = Pick<Labels, 'classification' | 'acl'> & { readonly limits: Pick<Labels, 'classification' | 'acl'> }

/** The labels of all documents of a partition. `shared`: their ACLs differ, and a filter chooses the visible ones (access-filter.ts). */
export type PartitionAccess = Access & { readonly shared?: true }

export const UNLABELLED: Labels = { classification: null, regulations: [], acl: null }

/** The strictest of the collection's, the document's and the front matter's classification. Without the first two: restricted. */
export function effectiveClassification(
  collection: Pick<Labels, 'classification'>,
  { classification, limits }: Access,
): Classification {
  const labels = [collection.classification, classification].filter((label) => label !== null)
  const label = labels.length === 0 ? 'restricted' : labels.reduce(stricterClassification)
  return limits.classification === null ? label : stricterClassification(label, limits.classification)
}

export const effectiveRegulations = (...labels: readonly Pick<Labels, 'regulations'>[]): readonly string[] =>
  uniqueSorted(labels.flatMap(({ regulations }) => regulations))

/**
 * Whether the viewer may see a document: its collection serves the Application, its classification is within the viewer's
 * clearance, and every ACL permits the user. Without an ACL of the collection or the document no user may see it. Of a shared partition
 * it says whether the viewer may see any document that the ACLs of the document permit.
 */
export function isVisible(viewer: Viewer, collection: Omit<CollectionLabels, 'regulations'>, document: PartitionAccess): boolean {
  if (collection.applications !== null && !collection.applications.includes(viewer.applicationId)) return false
  if (classificationRank(effectiveClassification(collection, document)) > classificationRank(viewer.ceiling)) return false
  if (collection.acl === null && document.acl === null && !document.shared) return false
  return [collection.acl, document.acl, document.limits.acl].every((acl) => acl === null || allows(acl, viewer))
}

/** The combined labels of the collection, the document and its front matter. */
export interface EffectiveLabels {
  readonly classification: Classification
  readonly regulations: readonly string[]
  /** Each of them must permit the user; an empty list permits no user. */
  readonly acls: readonly Acl[]
}

export const effectiveLabels = (collection: Labels, document: DocumentLabels): EffectiveLabels => ({
  classification: effectiveClassification(collection, document),
  regulations: effectiveRegulations(collection, document, document.limits),
  acls:
    collection.acl === null && document.acl === null
      ? []
      : [collection.acl, document.acl, document.limits.acl].filter((acl) => acl !== null),
})

/** Sorts lists and removes duplicates, so that equal labels are equal as JSON. */
export const normalizedLabels = ({ classification, regulations, acl }: Labels): Labels => ({
  classification,
  regulations: uniqueSorted(regulations),
  acl: acl && normalizedAcl(acl),
})

/** Labels as columns of a row. */
export const labelColumns = ({ classification, regulations, acl }: Labels) => ({
  classification,
  regulations: JSON.stringify(regulations),
  acl: jsonOrNull(acl),
})

export const accessOf = ({ classification, acl, limits }: Access): Access => ({
  classification,
  acl,
  limits: { classification: limits.classification, acl: limits.acl },
})
