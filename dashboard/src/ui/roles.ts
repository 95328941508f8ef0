/** The roles as people say them. */
export const ROLE_NAMES = {
  owner: 'Owner',
  policy_author: 'Policy author',
  reviewer: 'Reviewer',
  auditor: 'Auditor',
  read_only: 'Read only',
} as const

export type Role = keyof typeof ROLE_NAMES

export const roleName = (role: string): string => ROLE_NAMES[role as Role] ?? role
