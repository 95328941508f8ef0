import { posix } from 'node:path'
import { DocumentError, type FileContent, lockedByPassword } from '../document.ts'
import type { Warnings } from '../warning.ts'
import { OdfStyles } from './odf/odf-styles.ts'
import { odfRows } from './odf/odf-table.ts'
import { type OdfFile, OdfText } from './odf/odf-text.ts'
import { type Block, heading, joinBlocks } from './office/blocks.ts'
import { layoutSheet } from './sheet/layout.ts'
import { gridOf } from './table.ts'
import { childOf, childrenOf, decodeXml, findAll, parseXml, textIn, type XmlElement } from './xml.ts'
import { unzip } from './zip.ts'

/** Limit of the unpacked XML. */
const MAX_XML = 128 << 20

/** Converts an OpenDocument text, spreadsheet or presentation to Markdown. */
export async function readOdf(bytes: Uint8Array, limit: number, warnings: Warnings): Promise<FileContent> {
  const files = await unzip(bytes, (name) => /\.xml$/.test(name), MAX_XML)
  if (decodeXml(files.get('META-INF/manifest.xml')).includes('encryption-data')) throw lockedByPassword()
  const part = (name: string) => (files.has(name) ? parseXml(decodeXml(files.get(name))) : undefined)
  const content = part('content.xml')
  if (!content) throw new DocumentError('broken', 'The OpenDocument file is damaged or incomplete. Save it again.')
  const styleFile = part('styles.xml')
  const styles = new OdfStyles([styleFile, content])
  const object = (address: string) => part(posix.join(address.replace(/^\.\//, ''), 'content.xml'))
  const file: OdfFile = { styles, warnings, object }
  const body = childOf(content, 'office:body')
  const [title] = findAll(part('meta.xml'), 'dc:title')
  const [kind] = childrenOf(body)
  const blocks =
    kind?.name === 'office:spreadsheet'
      ? readSheets(kind, file, limit)
      : kind?.name === 'office:presentation'
        ? readPages(kind, file)
        : readText(kind, file, styleFile)
  return { markdown: joinBlocks(blocks), title: title && textIn(title) }
}

/** The text, with the headers and footers of the pages that it uses. */
function readText(body: XmlElement | undefined, file: OdfFile, styleFile: XmlElement | undefined): Block[] {
  const used = file.styles.masterPages()
  const pages = childrenOf(childOf(styleFile, 'office:master-styles'), 'style:master-page').filter(
    ({ attributes }, index) => used.has(attributes.name) || attributes.name === 'Standard' || (index === 0 && used.size === 0),
  )
  const seen = new Set<string>()
  const margins = (kind: string) =>
    pages.flatMap((page) =>
      childrenOf(page).flatMap((margin) => {
        if (!new RegExp(`^style:${kind}(?:-left|-first)?$`).test(margin.name) || margin.attributes.display === 'false') return []
        const text = joinBlocks(new OdfText(file, kind).blocks(margin))
        // A page's number alone says nothing.
        if (seen.has(text) || /^[\d\s]*$/.test(text)) return []
        seen.add(text)
        return [{ text }]
      }),
    )
  return [...margins('header'), ...new OdfText(file).blocks(body), ...margins('footer')]
}

function readSheets(body: XmlElement, file: OdfFile, limit: number): Block[] {
  return childrenOf(body, 'table:table').flatMap((table) => {
    const name = table.attributes.name ?? ''
    const place = `sheet ${name}`
    if (file.styles.property(table.attributes['style-name'], 'style:table-properties', 'table:display') === 'false') {
      file.warnings.add('hidden_text', { place })
      return []
    }
    const text = new OdfText(file, place)
    const drawn = childrenOf(table, 'table:shapes').flatMap((shapes) => text.blocks(shapes))
    const rows = odfRows(
      table,
      (cell) => joinBlocks(text.blocks(cell, true)),
      () => file.warnings.add('hidden_text', { place }),
    )
    const grid = gridOf(rows).map((cells, index) => ({
      number: index + 1,
      cells: cells.map((value) => ({ text: value, isValue: /^[-+]?[\d.,]+\s*[%€$]?$/.test(value) })),
    }))
    const content = [...layoutSheet(grid, limit), ...drawn]
    return joinBlocks(content) === '' ? [] : [heading(2, name), ...content]
  })
}

/** The visible slides, with their notes. */
function readPages(body: XmlElement, file: OdfFile): Block[] {
  return childrenOf(body, 'draw:page').flatMap((page, index) => {
    const place = `slide ${index + 1}`
    const style = page.attributes['style-name']
    if (file.styles.property(style, 'style:drawing-page-properties', 'presentation:visibility') === 'hidden') {
      file.warnings.add('hidden_text', { place })
      return []
    }
    const text = new OdfText(file, place)
    const shapes = childrenOf(page)
    const title = shapes.find((shape) => shape.attributes['presentation:class'] === 'title')
    const name = title ? joinBlocks(text.block(title)).replaceAll('\n', ' ') : ''
    const content = shapes.filter((shape) => shape !== title).flatMap((shape) => text.block(shape))
    const notes = childrenOf(childOf(page, 'presentation:notes'), 'draw:frame')
      .filter((frame) => frame.attributes['presentation:class'] === 'notes')
      .map((frame) => joinBlocks(text.block(frame)))
      .filter((note) => note !== '')
    return [
      heading(2, name || `Slide ${index + 1}`),
      ...content,
      { text: notes.length > 0 ? `Notes: ${notes.join('\n\n')}` : '' },
    ]
  })
}
