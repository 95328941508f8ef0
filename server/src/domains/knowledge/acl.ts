import { departmentsOf, rolesOf, type User } from '../../shared/principal.ts'
import type { Viewer } from '../../shared/viewer.ts'

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

/** Whether the ACL permits the user and denies no reader. Uses roles and departments verified or not. An empty name matches none. */
export const allows = (acl: Acl, viewer: Pick<Viewer, 'user' | 'readers'>): boolean =>
  ('everyone' in acl || isNamed(acl, principalsOf(viewer.user))) && !isNamed(acl.deny ?? {}, deniedAs(viewer))

function isNamed(names: Names, principals: readonly string[]): boolean {
  const own = new Set(principals)
  return namedIn(names).some((principal) => own.has(principal))
}

/** The names under which ACLs can name the user: `users ann`, `roles agent`. */
export const principalsOf = (user: User): readonly string[] =>
  namedIn({ users: [user.id], roles: rolesOf(user), departments: departmentsOf(user), groups: user.groups ?? [] })

/** The names under which ACLs can deny one of the readers. */
export const deniedAs = ({ user, readers = [user] }: Pick<Viewer, 'user' | 'readers'>): readonly string[] => [
  ...new Set(readers.flatMap(principalsOf)),
]

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
