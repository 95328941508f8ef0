import type { Viewer } from '../../shared/viewer.ts'
import type { EntryFilter } from '../retrieval/entry-filter.ts'
import { type Acl, namedIn, principalsOf } from './acl.ts'
import type { Access, CollectionLabels } from './labels.ts'

/** Whether the document or its front matter names users, so that its visibility differs from user to user. */
export const namesUsers = ({ acl, limits }: Access): boolean => [acl, limits.acl].some((one) => one !== null && !isOpen(one))

const isOpen = (acl: Acl): boolean => 'everyone' in acl && acl.deny === undefined

/** The labels of a document's entries in a shared partition. `filterFor` reads them. */
export function accessLabels({ acl, limits }: Access): readonly string[] {
  const denied = [acl, limits.acl].flatMap((one) => namedIn(one?.deny ?? {}))
  return [
    ...(acl === null ? ['document collection'] : permitted('document', acl)),
    ...permitted('limits', limits.acl ?? { everyone: true }),
    ...new Set(denied.map((principal) => `deny ${principal}`)),
  ]
}

const permitted = (of: 'document' | 'limits', acl: Acl): readonly string[] =>
  'everyone' in acl ? [`${of} everyone`] : namedIn(acl).map((principal) => `${of} ${principal}`)

/** Chooses the entries that the viewer may see in a shared partition of a collection that the viewer may search. */
export function filterFor({ user }: Viewer, { acl }: Pick<CollectionLabels, 'acl'>): EntryFilter {
  const principals = principalsOf(user)
  const permittedBy = (of: 'document' | 'limits') => [`${of} everyone`, ...principals.map((principal) => `${of} ${principal}`)]
  return {
    // A document without an ACL is visible to those whom the collection's ACL permits.
    groups: [[...permittedBy('document'), ...(acl === null ? [] : ['document collection'])], permittedBy('limits')],
    without: principals.map((principal) => `deny ${principal}`),
  }
}
