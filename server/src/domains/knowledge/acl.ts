import type { User } from '../../shared/principal.ts'

/** The users that may read a document: everyone, or the users that one of the lists names. An ACL without names permits no user. */
export type Acl =
  | { readonly everyone: true }
  | { readonly users?: readonly string[]; readonly roles?: readonly string[]; readonly departments?: readonly string[] }

/** Uses the role and department that the Application states, verified or not. An empty id, role or department matches no name. */
export const allows = (acl: Acl, user: User): boolean =>
  'everyone' in acl ||
  includesName(acl.users, user.id) ||
  includesName(acl.roles, user.role) ||
  includesName(acl.departments, user.department)

const includesName = (list: readonly string[] = [], value: string): boolean => value !== '' && list.includes(value)

/** Sorts the lists and removes duplicates, empty names and empty lists, so that equal ACLs are equal as JSON. */
export function normalizedAcl(acl: Acl): Acl {
  if ('everyone' in acl) return { everyone: true }
  const lists = (['users', 'roles', 'departments'] as const).map((list) => [list, uniqueSorted(acl[list])] as const)
  return Object.fromEntries(lists.filter(([, names]) => names.length > 0))
}

export const uniqueSorted = (names: readonly string[] = []): readonly string[] => [...new Set(names)].filter(Boolean).sort()
