import type { Application } from '../../shared/principal.ts'
import type { StoredContent } from '../../shared/stored-content.ts'

/** The only caller that can read or continue a stored response. A verified and an asserted user with the same id are two owners, as for holds. */
export interface ResponseOwner {
  readonly workspaceId: string
  readonly applicationId: string
  /** Empty: the request named no user. */
  readonly userId: string
  readonly isVerified: boolean
}

export interface StoredResponse {
  readonly id: string
  readonly content: StoredContent
}

const DAY_MS = 86_400_000

/** Responses that were stored at this time or earlier have expired. A changed retention applies to stored responses as well. */
export const expiryLimit = ({ settings }: Pick<Application, 'settings'>, now: Date): Date =>
  new Date(now.getTime() - settings.responses.retention_days * DAY_MS)
