import type { User } from '../../domain/principal.ts'

/** Who calls: a user of a Workspace, vouched for by an access token or by a token of the Workspace's own. */
export interface Member {
  /** `ws_…` */
  readonly workspaceId: string
  readonly user: User
}
