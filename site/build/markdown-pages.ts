import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { SiteConfig } from 'vitepress'
import { SECTIONS } from '../navigation.ts'

/** `<!--@include: ../CHANGELOG.md{3,}-->`: a file from its third line on. */
const INCLUDE = /^<!--\s*@include:\s*([^\s{]+)(?:\{(\d+),\})?\s*-->$/gm

/** The Markdown of a page, with the files that it includes. */
const sourceOf = (path: string): string =>
  readFileSync(path, 'utf8').replaceAll(INCLUDE, (_, file: string, line = '1') => {
    const lines = readFileSync(join(dirname(path), file), 'utf8').split('\n')
    return lines.slice(Number(line) - 1).join('\n')
  })

/** Writes each page as Markdown beside its HTML (`build/chat.md`), and llms.txt, the list of all pages for language models. */
export function writeMarkdownPages({ outDir, srcDir, pages, rewrites }: SiteConfig): void {
  for (const page of pages) {
    for (const name of new Set([page, rewrites.map[page] ?? page])) {
      mkdirSync(dirname(join(outDir, name)), { recursive: true })
      writeFileSync(join(outDir, name), sourceOf(join(srcDir, page)))
    }
  }
  writeFileSync(join(outDir, 'llms.txt'), llmsText(outDir))
  // Pages lead to policies and programs of the repository.
  cpSync(join(srcDir, '../examples'), join(outDir, 'examples'), { recursive: true })
}

const INTRODUCTION = `# Gatehouse

> Gatehouse is an open-source server between a company's applications and its language models. Every request of an OpenAI or Anthropic client is checked by
> policies, held for reviewers if needed, and recorded in a tamper-evident log. It also has knowledge search, memory, conversations and assistants.

To call the API, begin with Set up and the pages of Build: each has a program in Node, in Python and with curl. /openapi.json of a server is its OpenAPI document.`

const llmsText = (outDir: string): string =>
  [
    INTRODUCTION,
    ...SECTIONS.map(({ text, items }) => `## ${text}\n\n${items.map((item) => lineOf(outDir, item)).join('\n')}`),
    '',
  ].join('\n\n')

function lineOf(outDir: string, { text, link }: { readonly text: string; readonly link: string }): string {
  const file = `${link.endsWith('/') ? `${link}index` : link}.md`
  return `- [${text}](/docs${file}): ${firstSentence(readFileSync(join(outDir, file), 'utf8'))}`
}

/** The first sentence after the title, without links. */
function firstSentence(markdown: string): string {
  const paragraph = markdown.split('\n\n').find((part) => /^[\p{L}`*[]/u.test(part)) ?? ''
  const text = paragraph.replaceAll('\n', ' ').replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
  return (/^.*?\.(?=\s|$)/.exec(text)?.[0] ?? text).replace(/:$/, '.')
}
