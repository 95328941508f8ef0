import { existsSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import type { MarkdownRenderer } from 'vitepress'

const REPOSITORY = resolve(import.meta.dirname, '../..')
const DOCS = join(REPOSITORY, 'docs')
/** Files outside docs/ that are pages of the site, because a page of docs/ includes them. */
const INCLUDED: Readonly<Record<string, string>> = {
  'README.md': '/',
  'CONTRIBUTING.md': '/contributing',
  'SECURITY.md': '/security/policy',
  'SUPPORT.md': '/support',
  'CHANGELOG.md': '/changelog',
  'bench/README.md': '/measurements',
}

/** Links to files of the repository that are no pages become text, except examples, which the site has. Links to included files lead to their page. */
export function repositoryLinks(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('repository-links', ({ tokens, env }) => {
    for (const { children } of tokens) {
      for (const [index, token] of (children ?? []).entries()) {
        const href = token.type === 'link_open' ? token.attrGet('href') : null
        if (href === null || /^(\w+:|\/|#)/.test(href)) continue
        const [path = '', hash] = href.split('#')
        const target = siteTarget(path, env.path)
        if (target !== undefined) token.attrSet('href', hash === undefined ? target : `${target}#${hash}`)
        else if (children) turnToText(children, index)
        // Otherwise the router of VitePress looks for a page. With a target it does not add the base.
        if (target?.startsWith('/docs/examples/')) token.attrSet('target', '_self')
      }
    }
  })
}

/** The address on the site, without its base; undefined for a file that is not on the site. */
function siteTarget(path: string, page: string): string | undefined {
  // An included file names its links from its own folder, the root or bench/.
  const file = [dirname(page), REPOSITORY, join(REPOSITORY, 'bench')].map((base) => join(base, path)).find(existsSync)
  if (file === undefined) return path
  const inRepository = relative(REPOSITORY, file)
  const included = INCLUDED[inRepository]
  if (included !== undefined) return included
  if (inRepository.startsWith('examples/') && statSync(file).isFile()) return `/docs/${inRepository}`
  const inDocs = relative(DOCS, file)
  if (inDocs.startsWith('..') || inDocs === 'contract/coverage.md') return undefined
  if (inDocs.endsWith('README.md')) return `/${dirname(inDocs)}/`
  if (inDocs.endsWith('index.md')) return `/${inDocs.slice(0, -'index.md'.length)}`
  if (inDocs === 'decisions') return '/decisions/0001-foundation'
  if (inDocs === 'contract') return '/contract/'
  return inDocs.endsWith('.md') ? `/${inDocs.slice(0, -'.md'.length)}` : undefined
}

/** Replaces a link by its text. */
function turnToText(children: NonNullable<Parameters<MarkdownRenderer['renderer']['renderInline']>[0]>, index: number): void {
  const close = children.findIndex((token, at) => at > index && token.type === 'link_close')
  for (const token of [children[index], children[close]]) {
    if (token === undefined) continue
    token.type = 'text'
    token.content = ''
    token.nesting = 0
  }
}
