import i18next from 'i18next'

const ROLES = ['owner', 'policy_author', 'reviewer', 'auditor', 'read_only'] as const
type Role = (typeof ROLES)[number]

export const roleName = (role: Role): string => i18next.t(`ui:roles.names.${role}`)

export const rolePurpose = (role: Role): string => i18next.t(`ui:roles.purposes.${role}`)

export const roleChoices = () => ROLES.map((value) => ({ value, label: roleName(value) }))
