import { expectSuccess, type ResponseBody } from '../../support/gateway-client.ts'
import { governed } from '../shared-server.ts'

/** All pending review items, oldest first. Other files of the worker leave many behind, more than a page holds. */
export async function listPendingReviews(): Promise<ResponseBody['data']> {
  const items: ResponseBody['data'][number][] = []
  for (let cursor = ''; ; ) {
    const page = expectSuccess(await governed.admin('GET', `/reviews?state=pending&limit=100${cursor}`))
    items.push(...page.data)
    if (!page.has_more) return items
    cursor = `&cursor=${page.next_cursor}`
  }
}
