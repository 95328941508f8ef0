import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { wordOf, zipfChunks } from './zipf-chunks.ts'

const SECTIONS = 4
const PER_FOLDER = 100
const SENTENCE = 12

/** Writes `count` Markdown files of four sections with about 85 words each, 100 in each folder. The same count gives the same files. */
export function writeMarkdownFiles(folder: string, count: number): void {
  const sections = zipfChunks(count * SECTIONS, Math.max(1, Math.ceil(count / PER_FOLDER)), 11)
  for (let file = 0; file < count; file++) {
    const below = join(folder, `part-${String(Math.floor(file / PER_FOLDER)).padStart(3, '0')}`)
    mkdirSync(below, { recursive: true })
    const own = sections.slice(file * SECTIONS, (file + 1) * SECTIONS)
    const text = own.map(
      ({ terms }, at) => `## Section ${at + 1} of ${wordOf(terms[0] ?? 0)}\n\n${sentences([...terms].map(wordOf))}\n`,
    )
    writeFileSync(join(below, `document-${String(file).padStart(5, '0')}.md`), `# Document ${file}\n\n${text.join('\n')}`)
  }
}

function sentences(words: readonly string[]): string {
  const lines: string[] = []
  for (let from = 0; from < words.length; from += SENTENCE) lines.push(`${words.slice(from, from + SENTENCE).join(' ')}.`)
  return lines.join(' ')
}
