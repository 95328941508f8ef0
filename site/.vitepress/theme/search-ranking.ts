import type { EnhanceAppContext } from 'vitepress'

/** Pages for readers of the source, and lists of rules: found after guides with the same words. */
const BEHIND =
  /^\/docs\/(decisions|contract|guarantees|changelog|architecture|contributing|measurements|growth|comparison|accessibility)/
const AHEAD = /^\/docs\/(build|guides|start)\//
const REFERENCE = /^\/docs\/api\//

const boostOf = (address: string): number => {
  if (BEHIND.test(address)) return 0.15
  if (AHEAD.test(address)) return 2
  return REFERENCE.test(address) ? 0.5 : 1
}

/** A function in the configuration would be evaluated from a string, which the content security policy forbids. */
export function rankSearch(siteData: EnhanceAppContext['siteData']): void {
  const { search } = siteData.value.themeConfig
  search.options = { ...search.options, miniSearch: { searchOptions: { boostDocument: boostOf } } }
}
