import type { User } from '../../domain/principal.ts'

/** The authenticated user of a messaging request, by access token or by a JWT that the Workspace's keys verify. */
export interface Member {
  /** `ws_…` */
  readonly workspaceId: string
  readonly user: User
}
