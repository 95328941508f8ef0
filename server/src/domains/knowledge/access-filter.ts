import type { Viewer } from '../../shared/viewer.ts'
import type { EntryFilter } from '../retrieval/entry-filter.ts'
import { type Acl, deniedAs, namedIn, principalsOf } from './acl.ts'
import type { Access, CollectionLabels } from './labels.ts'

/** Whether the document or its front matter names users, so that its visibility differs from user to user. */
export const namesUsers = ({ acl, limits }: Access): boolean => [acl, limits.acl].some((one) => one !== null && !isOpen(one))

const isOpen = (acl: Acl): boolean => 'everyone' in acl && acl.deny === undefined

/**
 * The labels of a document's entries in a shared partition. `filterFor` reads them. Most documents have no readers in their front matter, so
 * that a search reads one list of entries for each of the user's principals.
 */
export function accessLabels({ acl, limits }: Access): readonly string[] {
  const own = limits.acl === null ? 'reader' : 'document'
  const denied = [acl, limits.acl].flatMap((one) => namedIn(one?.deny ?? {}))
  return [
    ...(acl === null ? [`${own} collection`] : permitted(own, acl)),
    ...(limits.acl === null ? [] : permitted('limits', limits.acl)),
    ...new Set(denied.map((principal) => `deny ${principal}`)),
  ]
}

const permitted = (label: string, acl: Acl): readonly string[] =>
  'everyone' in acl ? [`${label} everyone`] : namedIn(acl).map((principal) => `${label} ${principal}`)

/** Chooses the entries that the viewer may see in a shared partition of a collection that the viewer may search. */
export function filterFor(viewer: Viewer, { acl }: Pick<CollectionLabels, 'acl'>): EntryFilter {
  // The ACL of the collection applies to documents without an ACL.
  const all = [...principalsOf(viewer.user), 'everyone', ...(acl === null ? [] : ['collection'])]
  const permittedBy = (label: string) => all.map((name) => `${label} ${name}`)
  return {
    alternatives: [[permittedBy('reader')], [permittedBy('document'), permittedBy('limits')]],
    without: deniedAs(viewer).map((principal) => `deny ${principal}`),
  }
}
