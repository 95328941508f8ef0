import type { User } from '../domain/principal.ts'

/** Who may read: everybody, or whoever one of the lists names. An ACL that names nobody lets nobody in. */
export type Acl =
  | { readonly everyone: true }
  | { readonly users?: readonly string[]; readonly roles?: readonly string[]; readonly departments?: readonly string[] }

/**
 * Whether an ACL names this user. A role and a department count as the Application vouches for them, verified or not; whoever
 * has no id, no role or no department is not found under that name.
 */
export const allows = (acl: Acl, user: User): boolean =>
  'everyone' in acl || names(acl.users, user.id) || names(acl.roles, user.role) || names(acl.departments, user.department)

const names = (list: readonly string[] = [], value: string): boolean => value !== '' && list.includes(value)

/** One form for each meaning: lists sorted, nothing twice, nothing empty. */
export function normalizedAcl(acl: Acl): Acl {
  if ('everyone' in acl) return { everyone: true }
  const lists = (['users', 'roles', 'departments'] as const).map((name) => [name, wordsOf(acl[name])] as const)
  return Object.fromEntries(lists.filter(([, words]) => words.length > 0))
}

/** Sorted, nothing twice, nothing empty. */
export const wordsOf = (words: readonly string[] = []): readonly string[] => [...new Set(words)].filter(Boolean).sort()
