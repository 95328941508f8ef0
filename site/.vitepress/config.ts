import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitepress'
import { finishBuild, removeStyles } from '../build/finish-build.ts'
import { writeMarkdownPages } from '../build/markdown-pages.ts'
import { alignByClass } from '../markdown/align-by-class.ts'
import { classStyles } from '../markdown/class-styles.ts'
import { diagrams } from '../markdown/diagrams.ts'
import { pictures } from '../markdown/pictures.ts'
import { repositoryLinks } from '../markdown/repository-links.ts'
import { NAV, SIDEBAR } from '../navigation.ts'

const ICON = readFileSync(join(import.meta.dirname, '../../dashboard/src/app/icon.svg'), 'utf8')

/** The documents of docs/ as a site that the server serves at /docs/. Its pages load nothing from elsewhere and need no inline styles. */
// biome-ignore lint/style/noDefaultExport: VitePress requires it
export default defineConfig({
  title: 'Gatehouse',
  description: 'The governed gateway between applications and language models',
  lang: 'en',
  base: '/docs/',
  srcDir: '../docs',
  // The contract's list of tests is a megabyte of search index for a page that only contributors read.
  srcExclude: ['contract/coverage.md'],
  rewrites: { ':folder/README.md': ':folder/index.md' },
  cleanUrls: true,
  // Inline scripts would need a hash for each build; finish-build.ts lists the hashes of those that do not change.
  metaChunk: true,
  // scripts/check-site.ts checks links, also to headings. A broken link must not stop `npm start`.
  ignoreDeadLinks: true,
  head: [
    ['link', { rel: 'stylesheet', href: '/docs/code.css' }],
    ['link', { rel: 'icon', type: 'image/svg+xml', href: `data:image/svg+xml,${encodeURIComponent(ICON)}` }],
  ],
  // Otherwise a style element would be inserted for the moment of the change.
  appearance: { disableTransition: false },
  // Prefetched pages are not covered by `script-src`.
  router: { prefetchLinks: false },
  markdown: {
    // The ids of headings that code hosts give, so that links work in both places.
    anchor: {
      slugify: (text) =>
        text
          .toLowerCase()
          .trim()
          .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
          .replaceAll(' ', '-'),
    },
    languageAlias: { promql: 'sql' },
    codeTransformers: [classStyles],
    // Enough contrast on the background of code (WCAG AA).
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (markdown) => {
      markdown.use(alignByClass)
      markdown.use(repositoryLinks)
      markdown.use(diagrams)
    },
  },
  vite: {
    plugins: [pictures()],
    publicDir: false,
    build: { assetsInlineLimit: 0, reportCompressedSize: false, chunkSizeWarningLimit: 4_000 },
  },
  transformHtml: removeStyles,
  buildEnd: (config) => {
    writeMarkdownPages(config)
    finishBuild(config)
  },
  themeConfig: {
    nav: NAV,
    sidebar: SIDEBAR,
    outline: { level: [2, 3] },
    search: { provider: 'local', options: { translations: { button: { buttonText: 'Search', buttonAriaLabel: 'Search' } } } },
    docFooter: { prev: 'Previous', next: 'Next' },
    footer: { message: 'Gatehouse is free software under the Apache License 2.0.' },
  },
})
