import i18next from 'i18next'

const ROLES = ['owner', 'policy_author', 'reviewer', 'auditor', 'read_only'] as const
type Role = (typeof ROLES)[number]

export const roleName = (role: Role): string => i18next.t(`ui:roles.names.${role}`)

/** Purpose of a role in one sentence. */
export const rolePurpose = (role: Role): string => i18next.t(`ui:roles.purposes.${role}`)

/** Options of a select input. */
export const roleChoices = () => ROLES.map((value) => ({ value, label: roleName(value) }))
