/** Readers of a document or collection. */
export interface Acl {
  readonly everyone?: boolean | undefined
  readonly users?: string[] | undefined
  readonly roles?: string[] | undefined
  readonly departments?: string[] | undefined
}

export const ACL_LISTS = ['departments', 'roles', 'users'] as const

/** Formats an ACL in one line. */
export function formatAcl(acl: Acl | null, fallback: string): string {
  if (acl === null) return fallback
  if (acl.everyone) return 'All users'
  const lists = ACL_LISTS.flatMap((list) => {
    const entries = acl[list] ?? []
    return entries.length > 0 ? [`${entries.length === 1 ? list.slice(0, -1) : list} ${entries.join(', ')}`] : []
  })
  return lists.length > 0 ? capitalize(lists.join('; ')) : 'No users'
}

/** Formats the readers if each of the ACLs must include the user. */
export function formatReaders(acls: readonly Acl[]): string {
  if (acls.length === 0) return 'No users'
  const narrowing = [...new Set(acls.filter(({ everyone }) => !everyone).map((acl) => formatAcl(acl, '')))]
  return narrowing.length === 0 ? 'All users' : narrowing.join(' and ')
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Request body of an ACL. */
export function aclBody(acl: Acl | null): { everyone?: true; users?: string[]; roles?: string[]; departments?: string[] } | null {
  if (acl === null) return null
  if (acl.everyone) return { everyone: true }
  return Object.fromEntries(ACL_LISTS.map((list) => [list, acl[list] ?? []]))
}
