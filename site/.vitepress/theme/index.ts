import type { Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import { h } from 'vue'
import { Logo } from './brand.ts'
import { CopyPage } from './copy-page.ts'
import { rankSearch } from './search-ranking.ts'
import './theme.css'

/** Addresses of the API reference from the time when it was at /docs/. */
const REFERENCE_HASH = /^#(tag|model|description)\b/

// biome-ignore lint/style/noDefaultExport: VitePress requires it
export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'nav-bar-title-before': () => h(Logo), 'doc-before': () => h(CopyPage) }),
  enhanceApp({ siteData }) {
    if (import.meta.env.SSR) return
    rankSearch(siteData)
    if (location.pathname === '/docs/' && REFERENCE_HASH.test(location.hash)) location.replace('/docs/api/')
  },
} satisfies Theme
