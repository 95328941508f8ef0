export const ACL_LISTS = ['departments', 'roles', 'groups', 'users'] as const

/** Names of users, and of departments, roles and groups whose users are meant. */
type Names = { readonly [L in (typeof ACL_LISTS)[number]]?: string[] | undefined }

/** Readers of a document or collection, without those that `deny` names. */
export interface Acl extends Names {
  readonly everyone?: boolean | undefined
  readonly deny?: Names | undefined
}

/** The ACLs that exclude users, without duplicates. */
export function narrowingAcls(acls: readonly Acl[]): readonly Acl[] {
  const distinct = new Map(acls.filter(({ everyone, deny }) => !everyone || deny).map((acl) => [JSON.stringify(acl), acl]))
  return [...distinct.values()]
}

/** Whether the ACLs together permit no user. */
export const permitsNoUser = (acls: readonly Acl[]): boolean => acls.length === 0 || acls.some(isEmpty)

const isEmpty = (acl: Acl): boolean => !acl.everyone && !namesAny(acl)
const namesAny = (names: Names): boolean => ACL_LISTS.some((list) => (names[list] ?? []).length > 0)

export function aclBody(acl: Acl | null) {
  if (acl === null) return null
  const { everyone, deny = {}, ...lists } = acl
  return { ...(everyone ? { everyone: true as const } : namesBody(lists)), ...(namesAny(deny) && { deny: namesBody(deny) }) }
}

const namesBody = (names: Names): { [L in (typeof ACL_LISTS)[number]]?: string[] } =>
  Object.fromEntries(ACL_LISTS.map((list) => [list, names[list] ?? []]))
