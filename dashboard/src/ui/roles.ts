/** Labels of the roles. */
export const ROLE_NAMES = {
  owner: 'Owner',
  policy_author: 'Policy author',
  reviewer: 'Reviewer',
  auditor: 'Auditor',
  read_only: 'Read only',
} as const

/** Options of a select input. */
export const ROLE_CHOICES = Object.entries(ROLE_NAMES).map(([value, label]) => ({
  value: value as keyof typeof ROLE_NAMES,
  label,
}))

export const ROLE_PURPOSES: Readonly<Record<keyof typeof ROLE_NAMES, string>> = {
  owner: 'Can do everything and manages operators',
  policy_author: 'Writes and tests policies, reads everything else',
  reviewer: 'Decides review items and sees their content',
  auditor: 'Reads everything, verifies and exports the audit log',
  read_only: 'Reads without making changes',
}
