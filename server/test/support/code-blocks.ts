import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../../..')
const DOCUMENTS = [
  'README.md',
  'SUPPORT.md',
  'docs/{index,policies,policy-cookbook,troubleshooting}.md',
  'docs/{start,guides,concepts}/*.md',
]

export interface CodeBlock {
  /** `docs/guides/deploy.md` */
  readonly file: string
  readonly language: string
  readonly source: string
}

/** The fenced blocks of a document, in order. */
export const blocksOf = (file: string): CodeBlock[] =>
  [...readFileSync(join(ROOT, file), 'utf8').matchAll(/^```(\w*)(?: \[.*\])?\n([\s\S]*?)^```/gm)].map(
    ([, language = '', source = '']) => ({
      file,
      language,
      source,
    }),
  )

/** All blocks that a reader may copy: of README, the quick start, the guides, the concepts and the documents on policies. */
export const copiedBlocks = (): CodeBlock[] => globSync(DOCUMENTS, { cwd: ROOT }).sort().flatMap(blocksOf)
