import { adminClient } from '../../admin/client.ts'
import { governed } from '../shared-server.ts'

const admin = adminClient(governed.server)

/** All pending review items, oldest first. Other files of the worker leave many behind, more than a page holds. */
export const listPendingReviews = () => admin.all('/reviews?state=pending', { limit: 100 })
