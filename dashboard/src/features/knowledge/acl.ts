/** Who may read; null: nothing is said. */
export interface Acl {
  readonly everyone?: boolean | undefined
  readonly users?: string[] | undefined
  readonly roles?: string[] | undefined
  readonly departments?: string[] | undefined
}

export const ACL_LISTS = ['departments', 'roles', 'users'] as const

/** Whom an ACL lets in, in a line. */
export function aclInWords(acl: Acl | null, otherwise: string): string {
  if (acl === null) return otherwise
  if (acl.everyone) return 'Everyone'
  const lists = ACL_LISTS.flatMap((list) => {
    const words = acl[list] ?? []
    return words.length > 0 ? [`${words.length === 1 ? list.slice(0, -1) : list} ${words.join(', ')}`] : []
  })
  return lists.length > 0 ? sentence(lists.join('; ')) : 'Nobody'
}

/** Who may read where each of the ACLs has to name the reader. None at all lets nobody in. */
export function readersInWords(acls: readonly Acl[]): string {
  if (acls.length === 0) return 'Nobody'
  const narrowing = [...new Set(acls.filter(({ everyone }) => !everyone).map((acl) => aclInWords(acl, '')))]
  return narrowing.length === 0 ? 'Everyone' : narrowing.join(', who are also: ')
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** As the API takes it. */
export function aclBody(acl: Acl | null): { everyone?: true; users?: string[]; roles?: string[]; departments?: string[] } | null {
  if (acl === null) return null
  if (acl.everyone) return { everyone: true }
  return Object.fromEntries(ACL_LISTS.map((list) => [list, acl[list] ?? []]))
}
