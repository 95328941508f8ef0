import type { Tx } from '../../db/database.ts'
import type { ReviewItem } from '../../review/review.ts'
import { findTokenIssuers } from '../people/access-token-store.ts'
import { findCreationTime } from './message-store.ts'

/** The operators who issued a token with which the item's message may have been sent. */
export async function issuersBehind(tx: Tx, item: ReviewItem): Promise<readonly string[]> {
  if (item.messageId === null) return []
  // An assistant answers after its message was sent: a token that was revoked in between counts.
  const sent = (await findCreationTime(tx, item.workspaceId, item.messageId)) ?? item.createdAt
  const from = new Date(Math.min(sent.getTime(), item.createdAt.getTime()))
  return findTokenIssuers(tx, item.workspaceId, item.userId, { from, to: item.createdAt })
}
