import type { FileContent } from '../document.ts'
import type { Warnings } from '../warning.ts'
import { readHtml } from './html.ts'
import { type Block, joinBlocks } from './office/blocks.ts'
import { Package } from './office/package.ts'
import { Notes } from './word/notes.ts'
import { Numbering } from './word/numbering.ts'
import { inOneLine, type WordFile, WordPart } from './word/part.ts'
import { Styles } from './word/styles.ts'
import { childOf, childrenOf, findAll, isOn, parseXml, type XmlElement } from './xml.ts'

/** The pages' color stands before the text. */
const MAX_START = 8_192
/** Files may insert files. */
const MAX_INSERTED = 3

/** Converts a Word file to Markdown, with its headers, footers, notes and text boxes. */
export async function readDocx(bytes: Uint8Array, warnings: Warnings, depth = 0): Promise<FileContent> {
  const pkg = await Package.open(bytes)
  const main = pkg.main('Word')
  const related = (type: string) => pkg.relatedPart(main, type)
  const readNote = (note: XmlElement, kind: 'footnotes' | 'endnotes') =>
    inOneLine(new WordPart(file, pkg.related(main, kind)[0]?.target ?? main, kind.slice(0, -1)).blocks(note))
  const file: WordFile = {
    pkg,
    styles: new Styles(related('styles')),
    numbering: new Numbering(related('numbering')),
    notes: new Notes(related('footnotes'), related('endnotes'), readNote),
    warnings,
    hasBackground: /<(?:\w+:)?background[\s>]/.test(pkg.text(main).slice(0, MAX_START)),
  }
  const hasEvenPages = isOn(related('settings'), 'w:evenAndOddHeaders') === true
  const inserted = await readInserted(pkg, main, warnings, depth)
  return { markdown: joinBlocks(readSections(file, main, { hasEvenPages, inserted })), title: pkg.title() }
}

interface SectionOptions {
  readonly hasEvenPages: boolean
  readonly inserted: ReadonlyMap<string, string>
}

/** The body, with each section's headers before it and its footers after it. Equal ones are shown once. */
function readSections(file: WordFile, main: string, { hasEvenPages, inserted }: SectionOptions): Block[] {
  const part = new WordPart(file, main, undefined, inserted)
  const relations = file.pkg.relations(main)
  const seen = new Set<string>()
  const margin = (section: XmlElement, kind: 'header' | 'footer'): Block[] =>
    childrenOf(section, `w:${kind}Reference`).flatMap(({ attributes }) => {
      const isUsed = attributes.type === 'first' ? isOn(section, 'w:titlePg') : attributes.type !== 'even' || hasEvenPages
      const name = relations.get(attributes['r:id'] ?? '')?.target
      if (!isUsed || name === undefined) return []
      const text = joinBlocks(new WordPart(file, name, kind).blocks(file.pkg.part(name)))
      // A page's number alone says nothing.
      if (seen.has(text) || /^[\d\s]*$/.test(text)) return []
      seen.add(text)
      return [{ text }]
    })
  const result: Block[] = []
  let section: Block[] = []
  const read = (element: XmlElement) => {
    section.push(...part.block(element, { shaded: file.hasBackground, inCell: false }))
    const [end] = element.name === 'w:sectPr' ? [element] : findAll(childOf(element, 'w:pPr'), 'w:sectPr')
    if (!end) return
    result.push(...margin(end, 'header'), ...section, ...margin(end, 'footer'))
    section = []
  }
  parseXml(file.pkg.text(main), new Map(), { of: 'w:body', take: read })
  return [...result, ...section]
}

/** The Markdown of the files that a Word file inserts (HTML, text, Word), by the ids of their relations. */
async function readInserted(pkg: Package, main: string, warnings: Warnings, depth: number): Promise<ReadonlyMap<string, string>> {
  const inserted = new Map<string, string>()
  for (const [id, { type, target }] of pkg.relations(main)) {
    if (type !== 'aFChunk') continue
    const markdown = depth < MAX_INSERTED ? await readPart(pkg, target, warnings, depth) : undefined
    if (markdown === undefined) warnings.add('ignored_part', { detail: target })
    else inserted.set(id, markdown)
  }
  return inserted
}

async function readPart(pkg: Package, name: string, warnings: Warnings, depth: number): Promise<string | undefined> {
  const bytes = pkg.files.get(name)
  if (!bytes) return undefined
  if (/\.docx$/i.test(name)) return (await readDocx(bytes, warnings, depth + 1)).markdown
  if (/\.x?html?$/i.test(name)) return readHtml(pkg.text(name), warnings).markdown
  return /\.txt$/i.test(name) ? pkg.text(name) : undefined
}
