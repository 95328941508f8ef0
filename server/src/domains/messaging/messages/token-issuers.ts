import type { Tx } from '../../../platform/db/database.ts'
import type { ReviewItem } from '../../review/review.ts'
import { findTokenIssuers } from '../people/access-token-store.ts'
import { findCreationTime } from './message-store.ts'

/** Operators who issued a token with which the message of the review item may have been sent. */
export async function findIssuersOfSender(tx: Tx, item: ReviewItem): Promise<readonly string[]> {
  if (item.messageId === null) return []
  // An assistant's message is newer than the message that it answers, so the user's token may have been revoked in between.
  const createdAt = (await findCreationTime(tx, item.workspaceId, item.messageId)) ?? item.createdAt
  const from = new Date(Math.min(createdAt.getTime(), item.createdAt.getTime()))
  return findTokenIssuers(tx, item.workspaceId, item.userId, { from, to: item.createdAt })
}
