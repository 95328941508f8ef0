import { zipOf } from './files.ts'

const OFFICE = 'http://schemas.openxmlformats.org'
const RELATIONS = `${OFFICE}/officeDocument/2006/relationships`
const TYPES = `${OFFICE}/package/2006/content-types`

const NAMESPACES = Object.entries({
  w: `${OFFICE}/wordprocessingml/2006/main`,
  r: RELATIONS,
  m: `${OFFICE}/officeDocument/2006/math`,
  a: `${OFFICE}/drawingml/2006/main`,
  p: `${OFFICE}/presentationml/2006/main`,
  c: `${OFFICE}/drawingml/2006/chart`,
  dgm: `${OFFICE}/drawingml/2006/diagram`,
  pic: `${OFFICE}/drawingml/2006/picture`,
  wp: `${OFFICE}/drawingml/2006/wordprocessingDrawing`,
  xdr: `${OFFICE}/drawingml/2006/spreadsheetDrawing`,
  mc: `${OFFICE}/markup-compatibility/2006`,
  w14: 'http://schemas.microsoft.com/office/word/2010/wordml',
  wps: 'http://schemas.microsoft.com/office/word/2010/wordprocessingShape',
  v: 'urn:schemas-microsoft-com:vml',
  o: 'urn:schemas-microsoft-com:office:office',
})
  .map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`)
  .join(' ')

/** A part with a relation from the main part. Its id is `NAME.xml` without the ending. */
export type Parts = Readonly<
  Record<string, { readonly type: string; readonly content: string | Uint8Array; readonly external?: boolean }>
>

/** An XML part with the namespaces of Office. */
export const part = (name: string, content: string): string => `<?xml version="1.0"?><${name} ${NAMESPACES}>${content}</${name}>`

/** The part that holds a part's relations. */
export function relations(
  list: readonly (readonly [id: string, type: string, target: string, external?: boolean | undefined])[],
): string {
  const items = list.map(
    ([id, type, target, external]) =>
      `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"${external ? ' TargetMode="External"' : ''}/>`,
  )
  return `<Relationships xmlns="${OFFICE}/package/2006/relationships">${items.join('')}</Relationships>`
}

/** An Office file with a main part, parts beside it and the parts' own relations. */
function officeFile(
  main: string,
  contentType: string,
  content: string,
  parts: Parts,
  more: Readonly<Record<string, string>> = {},
): Buffer {
  const folder = main.slice(0, main.indexOf('/') + 1)
  const entries = Object.entries(parts)
  return zipOf({
    '[Content_Types].xml': `<Types xmlns="${TYPES}"><Override PartName="/${main}" ContentType="application/vnd.${contentType}.main+xml"/></Types>`,
    '_rels/.rels': relations([['main', 'officeDocument', main]]),
    [main]: content,
    [`${folder}_rels/${main.slice(folder.length)}.rels`]: relations(
      entries.map(([name, { type, content: target, external }]) => [
        name.replace(/\.\w+$/, ''),
        type,
        external ? String(target) : name,
        external,
      ]),
    ),
    ...Object.fromEntries(
      entries.filter(([, { external }]) => !external).map(([name, { content: bytes }]) => [folder + name, bytes]),
    ),
    ...more,
  })
}

/** A Word file with the given body. */
export const wordFile = (body: string, parts: Parts = {}, more: Readonly<Record<string, string>> = {}): Buffer =>
  officeFile(
    'word/document.xml',
    'openxmlformats-officedocument.wordprocessingml.document',
    part('w:document', `<w:body>${body}</w:body>`),
    parts,
    more,
  )

/** An Excel file. `sheets` are the contents of worksheets by name; a name that starts with `!` is hidden. */
export function excelFile(
  sheets: Readonly<Record<string, string>>,
  parts: Parts = {},
  more: Readonly<Record<string, string>> = {},
): Buffer {
  const names = Object.keys(sheets)
  const list = names.map(
    (name, index) =>
      `<sheet name="${name.replace('!', '')}" sheetId="${index + 1}" r:id="worksheets/sheet${index + 1}"${name.startsWith('!') ? ' state="hidden"' : ''}/>`,
  )
  const own = names.map((name, index) => [
    `worksheets/sheet${index + 1}.xml`,
    { type: 'worksheet', content: sheetPart('worksheet', sheets[name] ?? '') },
  ])
  const workbook = sheetPart('workbook', `${more.workbook ?? ''}<sheets>${list.join('')}</sheets>`)
  const { workbook: _, ...files } = more
  const type = 'openxmlformats-officedocument.spreadsheetml.sheet'
  return officeFile('xl/workbook.xml', type, workbook, { ...Object.fromEntries(own), ...parts }, files)
}

/** A part of an Excel file, in which the names of cells need no prefix. */
export const sheetPart = (name: string, content: string): string =>
  `<${name} xmlns="${OFFICE}/spreadsheetml/2006/main" ${NAMESPACES}>${content}</${name}>`

/** A PowerPoint file. `slides` are the contents of shape trees; one that starts with `!` is a hidden slide. */
export function powerPointFile(slides: readonly string[], more: Readonly<Record<string, string>> = {}): Buffer {
  const list = slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="slides/slide${index + 1}"/>`)
  const parts = slides.map((slide, index) => {
    const tree = `<p:cSld><p:spTree>${slide.replace(/^!/, '')}</p:spTree></p:cSld>`
    const content = part('p:sld', tree).replace('<p:sld ', slide.startsWith('!') ? '<p:sld show="0" ' : '<p:sld ')
    return [`slides/slide${index + 1}.xml`, { type: 'slide', content }]
  })
  const main = part('p:presentation', `<p:sldIdLst>${list.join('')}</p:sldIdLst>`)
  const type = 'openxmlformats-officedocument.presentationml.presentation'
  return officeFile('ppt/presentation.xml', type, main, Object.fromEntries(parts), more)
}

const ODF = Object.entries({
  office: 'office',
  text: 'text',
  table: 'table',
  style: 'style',
  draw: 'drawing',
  presentation: 'presentation',
  svg: 'svg-compatible',
  chart: 'chart',
  form: 'form',
})
  .map(([prefix, name]) => `xmlns:${prefix}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .concat('xmlns:xlink="http://www.w3.org/1999/xlink"', 'xmlns:math="http://www.w3.org/1998/Math/MathML"')
  .join(' ')

/** A part of an OpenDocument file. */
export const odfPart = (name: string, content: string): string =>
  `<?xml version="1.0"?><office:${name} ${ODF}>${content}</office:${name}>`

/** An OpenDocument text, spreadsheet or presentation with the given body and automatic styles. */
export function odfFile(
  kind: 'text' | 'spreadsheet' | 'presentation',
  body: string,
  styles = '',
  more: Readonly<Record<string, string>> = {},
): Buffer {
  return zipOf({
    mimetype: `application/vnd.oasis.opendocument.${kind}`,
    'content.xml': odfPart(
      'document-content',
      `<office:automatic-styles>${styles}</office:automatic-styles><office:body><office:${kind}>${body}</office:${kind}></office:body>`,
    ),
    ...more,
  })
}

/** An e-book of the given chapters, as bodies of XHTML, in the order of `spine`, which holds their indices. */
export function epubFile(
  chapters: readonly string[],
  spine: readonly number[],
  more: Readonly<Record<string, string>> = {},
): Buffer {
  const items = chapters.map(
    (_, index) => `<item id="c${index}" href="text/c%20${index}.xhtml" media-type="application/xhtml+xml"/>`,
  )
  return zipOf({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml':
      '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
    'OEBPS/book.opf': `<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>The Handbook</dc:title></metadata><manifest>${items.join('')}</manifest><spine>${spine.map((index) => `<itemref idref="c${index}"/>`).join('')}</spine></package>`,
    ...Object.fromEntries(
      chapters.map((chapter, index) => [
        `OEBPS/text/c ${index}.xhtml`,
        `<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body>${chapter}</body></html>`,
      ]),
    ),
    ...more,
  })
}
