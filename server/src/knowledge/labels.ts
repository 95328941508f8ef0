import { type Classification, classificationRank, stricterClassification } from '../domain/classification.ts'
import type { Viewer } from '../domain/viewer.ts'
import { type Acl, allows, normalizedAcl, wordsOf } from './acl.ts'

/** What is said about content: null where nothing is. */
export interface Labels {
  readonly classification: Classification | null
  readonly regulations: readonly string[]
  readonly acl: Acl | null
}

export interface DocumentLabels extends Labels {
  /** What the document says of itself in its front matter. It may only narrow what operators have opened. */
  readonly limits: Labels
}

export interface CollectionLabels extends Labels {
  /** Ids of the Applications it serves; null: all of the Workspace. */
  readonly applications: readonly string[] | null
}

/** Of a document's labels, what decides who sees it. */
export type Access = Pick<Labels, 'classification' | 'acl'> & { readonly limits: Pick<Labels, 'classification' | 'acl'> }

export const UNLABELLED: Labels = { classification: null, regulations: [], acl: null }

/**
 * The strictest of what is said of the collection, the document, and in it. Where neither the collection nor the document has a
 * label the document is restricted, whatever it says of itself.
 */
export function effectiveClassification(
  collection: Pick<Labels, 'classification'>,
  { classification, limits }: Access,
): Classification {
  const given = [collection.classification, classification].filter((label) => label !== null)
  const label = given.length === 0 ? 'restricted' : given.reduce(stricterClassification)
  return limits.classification === null ? label : stricterClassification(label, limits.classification)
}

export const effectiveRegulations = (...labels: readonly Pick<Labels, 'regulations'>[]): readonly string[] =>
  wordsOf(labels.flatMap(({ regulations }) => regulations))

/**
 * Whether someone may see a document: its collection serves the Application, every ACL there is lets the user in, and it is not
 * too sensitive. Where neither the collection nor the document has an ACL, nobody is let in.
 */
export function isVisible(viewer: Viewer, collection: Omit<CollectionLabels, 'regulations'>, document: Access): boolean {
  if (collection.applications !== null && !collection.applications.includes(viewer.applicationId)) return false
  if (classificationRank(effectiveClassification(collection, document)) > classificationRank(viewer.ceiling)) return false
  if (collection.acl === null && document.acl === null) return false
  return [collection.acl, document.acl, document.limits.acl].every((acl) => acl === null || allows(acl, viewer.user))
}

/** The labels of a document as they apply: those of its collection, its own, and what it says of itself. */
export interface EffectiveLabels {
  readonly classification: Classification
  readonly regulations: readonly string[]
  /** A reader is named by each of them; an empty list lets nobody in. */
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

/** One form for each meaning, so that equal labels are equal as JSON. */
export const normalizedLabels = ({ classification, regulations, acl }: Labels): Labels => ({
  classification,
  regulations: wordsOf(regulations),
  acl: acl && normalizedAcl(acl),
})

/** Only what decides who sees it. */
export const accessOf = ({ classification, acl, limits }: Access): Access => ({
  classification,
  acl,
  limits: { classification: limits.classification, acl: limits.acl },
})
