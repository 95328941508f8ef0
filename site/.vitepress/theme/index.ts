import type { Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import './theme.css'

/** Addresses of the API reference from the time when it was at /docs/. */
const REFERENCE_HASH = /^#(tag|model|description)\b/

// biome-ignore lint/style/noDefaultExport: VitePress requires it
export default {
  extends: DefaultTheme,
  enhanceApp() {
    if (import.meta.env.SSR) return
    if (location.pathname === '/docs/' && REFERENCE_HASH.test(location.hash)) location.replace(`/docs/api/${location.hash}`)
  },
} satisfies Theme
