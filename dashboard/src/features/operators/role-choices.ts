import type { Role } from '../../api/session.ts'
import { ROLE_NAMES } from '../../ui/roles.ts'

export const ROLE_CHOICES = Object.entries(ROLE_NAMES).map(([value, label]) => ({ value: value as Role, label }))
