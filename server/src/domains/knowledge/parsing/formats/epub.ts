import { posix } from 'node:path'
import { DocumentError, type FileContent } from '../document.ts'
import type { Warnings } from '../warning.ts'
import { readHtml } from './html.ts'
import { childOf, childrenOf, decodeXml, findAll, parseXml, textIn } from './xml.ts'
import { type Files, unzip } from './zip.ts'

/** Limit of the unpacked text. */
const MAX_TEXT = 64 << 20

/** Converts an e-book to Markdown: its chapters in the order of the book. */
export async function readEpub(bytes: Uint8Array, warnings: Warnings): Promise<FileContent> {
  const files = await unzip(bytes, (name) => /\.(?:xml|opf|x?html?|svg)$/i.test(name), MAX_TEXT)
  const container = files.get('META-INF/container.xml')
  const root = container && findAll(parseXml(decodeXml(container)), 'rootfile', 'container:rootfile')[0]
  const name = root?.attributes['full-path'] ?? [...files.keys()].find((file) => /\.opf$/i.test(file)) ?? ''
  const packed = files.get(name)
  if (!packed) throw new DocumentError('broken', 'The EPUB file is damaged or incomplete. Export it again.')
  const book = parseXml(decodeXml(packed))
  refuseLocked(files)
  const items = new Map(childrenOf(childOf(book, 'opf:manifest')).map(({ attributes }) => [attributes.id, attributes.href ?? '']))
  const chapters = childrenOf(childOf(book, 'opf:spine'), 'opf:itemref').map(({ attributes: { idref } }) => {
    const file = posix.join(posix.dirname(name), decodeURI(items.get(idref) ?? ''))
    const text = files.get(file)
    if (text) return readHtml(decodeXml(text), warnings).markdown
    warnings.add('ignored_part', { detail: file })
    return ''
  })
  const [title] = findAll(childOf(book, 'opf:metadata'), 'dc:title')
  return { markdown: chapters.filter((chapter) => chapter.trim() !== '').join('\n\n'), title: title && textIn(title) }
}

/** Fonts may be encrypted in any book; chapters are only in books with a copy protection. */
function refuseLocked(files: Files): void {
  const encryption = decodeXml(files.get('META-INF/encryption.xml'))
  if (/CipherReference[^>]*URI="[^"]*\.x?html?"/i.test(encryption)) {
    throw new DocumentError('encrypted', 'The EPUB file has a copy protection. Export it without one.')
  }
}
