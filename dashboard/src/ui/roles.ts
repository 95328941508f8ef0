/** The roles as people say them, and what each is for. */
export const ROLE_NAMES = {
  owner: 'Owner',
  policy_author: 'Policy author',
  reviewer: 'Reviewer',
  auditor: 'Auditor',
  read_only: 'Read only',
} as const

export const ROLE_PURPOSES: Readonly<Record<keyof typeof ROLE_NAMES, string>> = {
  owner: 'everything, operators included',
  policy_author: 'writes policies, tries them in the playground, reads the rest',
  reviewer: 'decides on what is held, with its content',
  auditor: 'reads everything, verifies and exports the audit log',
  read_only: 'looks, and changes nothing',
}
