import { DOCX, DocumentError, EPUB, ODP, ODS, ODT, PPTX, XLSX, type ZipType } from './document.ts'
import { decodeXml, findAll, parseXml } from './formats/xml.ts'
import { unzip } from './formats/zip.ts'

export const isZip = (bytes: Uint8Array): boolean => Buffer.from(bytes.subarray(0, 4)).toString('latin1') === 'PK\x03\x04'

/** The content types of main parts, also of templates, slide shows and files with macros. */
const MAIN_PARTS: readonly (readonly [RegExp, ZipType])[] = [
  [/wordprocessingml\.(?:document|template)\.main|ms-word\.(?:document|template)\.macroenabled/, DOCX],
  [/spreadsheetml\.(?:sheet|template)\.main|ms-excel\.(?:sheet|template)\.macroenabled/, XLSX],
  [
    /presentationml\.(?:presentation|slideshow|template)\.main|ms-powerpoint\.(?:presentation|slideshow|template)\.macroenabled/,
    PPTX,
  ],
]
/** Files whose program wrote no content types for the main part. */
const MAIN_NAMES: ReadonlyMap<string, ZipType> = new Map([
  ['word/document.xml', DOCX],
  ['xl/workbook.xml', XLSX],
  ['ppt/presentation.xml', PPTX],
])
const TYPES: readonly ZipType[] = [ODT, ODS, ODP, EPUB]
const MAX_TYPES = 4 << 20

/** Tells the type of a ZIP archive by what it says about its entries. Throws `DocumentError` for other archives. */
export async function detectZipType(bytes: Uint8Array): Promise<ZipType> {
  const names = new Set<string>()
  const files = await unzip(
    bytes,
    (name) => {
      names.add(name)
      return name === 'mimetype' || name === '[Content_Types].xml'
    },
    MAX_TYPES,
  )
  const stated = decodeXml(files.get('mimetype')).trim()
  const type = TYPES.find((known) => stated === known || stated === `${known}-template`)
  if (type) return type
  const contentTypes = files.get('[Content_Types].xml')
  if (contentTypes) {
    const parts = findAll(parseXml(decodeXml(contentTypes)), 'ct:Override', 'ct:Default').map(
      (part) => part.attributes.ContentType?.toLowerCase() ?? '',
    )
    for (const [pattern, main] of MAIN_PARTS) if (parts.some((part) => pattern.test(part))) return main
    for (const [name, main] of MAIN_NAMES) if (names.has(name)) return main
    if (names.has('xl/workbook.bin')) throw unsupported('a binary spreadsheet. Save it as .xlsx')
  }
  throw unsupported('an archive. Unpack it and upload the files in it')
}

const unsupported = (description: string): DocumentError => new DocumentError('unsupported', `The file is ${description}.`)
