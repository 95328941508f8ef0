import type { User } from '../../../shared/principal.ts'

/** Topic of platform/db/signal.ts: an access token or its user has changed. */
export const ACCESS_TOKENS_TOPIC = 'access_tokens'

export interface Member {
  readonly workspaceId: string
  readonly user: User
}

export const memberOf = (workspaceId: string, { id, role, department, attributes }: Omit<User, 'verified'>): Member => ({
  workspaceId,
  user: { id, role, department, attributes, verified: true },
})
