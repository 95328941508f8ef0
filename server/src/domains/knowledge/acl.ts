import type { User } from '../../shared/principal.ts'

/** The kinds of names that a list has. */
export const NAME_LISTS = ['users', 'roles', 'departments', 'groups'] as const
type NameList = (typeof NAME_LISTS)[number]

/** Names of users, and of roles, departments and groups whose users are meant. */
export type Names = { readonly [L in NameList]?: readonly string[] }

/**
 * The users that may read a document: everyone, or the users that one of the lists names; without the users that `deny` names. An ACL
 * without names permits no user.
 */
export type Acl = ({ readonly everyone: true } | Names) & { readonly deny?: Names }

/** Uses the roles, departments and groups that the Application states, verified or not. An empty name matches none. */
export const allows = (acl: Acl, user: User): boolean => {
  const own = new Set(principalsOf(user))
  const isNamed = (names: Names = {}) => namedIn(names).some((principal) => own.has(principal))
  return ('everyone' in acl || isNamed(acl)) && !isNamed(acl.deny)
}

/** The names under which ACLs can name the user: `users ann`, `roles agent`. */
export const principalsOf = ({ id, role, department, groups = [] }: User): readonly string[] =>
  namedIn({ users: [id], roles: [role], departments: [department], groups })

/** The principals that the lists name. */
export const namedIn = (names: Names): readonly string[] =>
  NAME_LISTS.flatMap((list) => (names[list] ?? []).filter(Boolean).map((name) => `${list} ${name}`))

/** Sorts the lists and removes duplicates, empty names and empty lists, so that equal ACLs are equal as JSON. */
export function normalizedAcl(acl: Acl): Acl {
  const deny = normalizedNames(acl.deny ?? {})
  const permitted = 'everyone' in acl ? { everyone: true as const } : normalizedNames(acl)
  return { ...permitted, ...(Object.keys(deny).length > 0 && { deny }) }
}

const normalizedNames = (names: Names): Names =>
  Object.fromEntries(
    NAME_LISTS.map((list) => [list, uniqueSorted(names[list])] as const).filter(([, sorted]) => sorted.length > 0),
  )

export const uniqueSorted = (names: readonly string[] = []): readonly string[] => [...new Set(names)].filter(Boolean).sort()
