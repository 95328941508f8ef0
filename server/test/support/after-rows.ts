import type { KyselyPlugin, UnknownRow } from 'kysely'

/** Runs `work` before a statement returns whose first row matches: another node does it in that moment. */
export const afterRows = (matches: (first: UnknownRow) => boolean, work: () => Promise<unknown>): KyselyPlugin => ({
  transformQuery: ({ node }) => node,
  transformResult: async ({ result }) => {
    const [first] = result.rows
    if (first && matches(first)) await work()
    return result
  },
})
