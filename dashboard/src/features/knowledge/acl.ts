/** Readers of a document or collection. */
export interface Acl {
  readonly everyone?: boolean | undefined
  readonly users?: string[] | undefined
  readonly roles?: string[] | undefined
  readonly departments?: string[] | undefined
}

export const ACL_LISTS = ['departments', 'roles', 'users'] as const

/** The ACLs that exclude users, without duplicates. */
export function narrowingAcls(acls: readonly Acl[]): readonly Acl[] {
  const distinct = new Map(acls.filter(({ everyone }) => !everyone).map((acl) => [JSON.stringify(acl), acl]))
  return [...distinct.values()]
}

/** Whether the ACLs together permit no user. */
export const permitsNoUser = (acls: readonly Acl[]): boolean => acls.length === 0 || acls.some(isEmpty)

const isEmpty = (acl: Acl): boolean => !acl.everyone && ACL_LISTS.every((list) => (acl[list] ?? []).length === 0)

export function aclBody(acl: Acl | null): { everyone?: true; users?: string[]; roles?: string[]; departments?: string[] } | null {
  if (acl === null) return null
  if (acl.everyone) return { everyone: true }
  return Object.fromEntries(ACL_LISTS.map((list) => [list, acl[list] ?? []]))
}
