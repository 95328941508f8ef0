import type { FileContent } from '../document.ts'
import type { Warnings } from '../warning.ts'
import { type Block, escapeLines, heading, joinBlocks } from './office/blocks.ts'
import { drawnText, graphicBlocks } from './office/graphics.ts'
import { builtInFormat } from './office/number-format.ts'
import { Package } from './office/package.ts'
import { readSheet, richText, type Workbook } from './sheet/sheet.ts'
import { childOf, childrenOf, findAll, parseXml, type XmlElement } from './xml.ts'

/** Converts the visible sheets of an Excel file to Markdown: a heading for each, and tables of its cells as they are shown. */
export async function readXlsx(bytes: Uint8Array, limit: number, warnings: Warnings): Promise<FileContent> {
  const pkg = await Package.open(bytes)
  const main = pkg.main('Excel')
  const root = pkg.part(main)
  const workbook: Workbook = {
    strings: readStrings(pkg, main),
    formats: readFormats(pkg.relatedPart(main, 'styles')),
    from1904: /^(?:1|true)$/.test(childOf(root, 'x:workbookPr')?.attributes.date1904 ?? ''),
    limit,
    warnings,
  }
  const relations = pkg.relations(main)
  const blocks: Block[] = []
  for (const { attributes } of childrenOf(childOf(root, 'x:sheets'), 'x:sheet')) {
    const place = `sheet ${attributes.name ?? ''}`
    const target = relations.get(attributes['r:id'] ?? '')?.target ?? ''
    if (/^(?:hidden|veryHidden)$/.test(attributes.state ?? '')) warnings.add('hidden_text', { place })
    else if (pkg.files.has(target)) {
      const content = [...readSheet(pkg.text(target), workbook, place), ...drawings(pkg, target, warnings, place)]
      if (joinBlocks(content) !== '') blocks.push(heading(2, attributes.name ?? ''), ...content)
      warnAboutParts(pkg, target, warnings, place)
    } else warnings.add('ignored_part', { place })
  }
  return { markdown: joinBlocks(blocks), title: pkg.title() }
}

function readStrings(pkg: Package, main: string): string[] {
  const strings: string[] = []
  const [part] = pkg.related(main, 'sharedStrings')
  if (part && pkg.files.has(part.target)) {
    parseXml(pkg.text(part.target), new Map([['x:si', (element: XmlElement) => strings.push(richText(element))]]))
  }
  return strings
}

function readFormats(styles: XmlElement | undefined): string[] {
  const own = new Map(
    childrenOf(childOf(styles, 'x:numFmts'), 'x:numFmt').map(({ attributes }) => [
      Number(attributes.numFmtId),
      attributes.formatCode,
    ]),
  )
  return childrenOf(childOf(styles, 'x:cellXfs'), 'x:xf').map(({ attributes }) => {
    const id = Number(attributes.numFmtId ?? 0)
    return own.get(id) ?? builtInFormat(id)
  })
}

/** Text boxes, charts and diagrams, which lie over the cells. */
function drawings(pkg: Package, sheet: string, warnings: Warnings, place: string): Block[] {
  return pkg.related(sheet, 'drawing').flatMap(({ target }) => {
    const drawing = pkg.part(target)
    warnings.add('picture', { place, count: findAll(drawing, 'xdr:pic').length })
    const texts = findAll(drawing, 'xdr:txBody').flatMap((body) => childrenOf(body, 'a:p').map(drawnText))
    return [
      ...texts.map((text) => ({ text: escapeLines(text.trim()) })),
      ...(drawing ? graphicBlocks(drawing, pkg.relations(target), pkg, warnings, place) : []),
    ]
  })
}

function warnAboutParts(pkg: Package, sheet: string, warnings: Warnings, place: string): void {
  for (const { type, target } of pkg.relations(sheet).values()) {
    if (type === 'comments') warnings.add('comment', { place, count: findAll(pkg.part(target), 'x:comment').length })
    if (type === 'ctrlProp') warnings.add('form', { place })
    if (type === 'oleObject' || type === 'package') warnings.add('attachment', { place })
  }
}
